//! A server ends in any way, and another one goes on with its store.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::task::Poll;
use std::time::Duration;

use hermes_http::{McpService, SessionEvent, StreamableHttp};
use hermes_server::ask::Elicited;
use hermes_server::store::{Change, MemoryStore, Record, Store, StoreError};
use hermes_server::{Context, Part, Server, ToolError};
use hermes_types::Resource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::{Answer, Client, LATEST, LEGACY, MODERN, Said, text};
use crate::stage::Stage;

/// A store in memory that remembers every commit, and can hold or fail them.
#[derive(Clone, Default)]
struct Journal(Arc<Books>);

#[derive(Default)]
struct Books {
    kept: MemoryStore,
    commits: Mutex<Vec<Vec<Change>>>,
    is_held: Mutex<bool>,
    released: Condvar,
    is_failing: AtomicBool,
}

impl Journal {
    fn hold(&self, is_held: bool) {
        *self.0.is_held.lock().expect("nobody panics") = is_held;
        self.0.released.notify_all();
    }

    fn commits(&self) -> usize {
        self.0.commits.lock().expect("nobody panics").len()
    }

    /// What was kept after so many commits: the process ended then.
    fn after(&self, commits: usize) -> MemoryStore {
        let store = MemoryStore::default();
        for changes in &self.0.commits.lock().expect("nobody panics")[..commits] {
            store.commit(changes).expect("memory can be written");
        }
        store
    }

    fn now(&self) -> MemoryStore {
        self.after(self.commits())
    }
}

impl Store for Journal {
    fn load(&self) -> Result<Vec<Record>, StoreError> {
        self.0.kept.load()
    }

    fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        let held = self.0.is_held.lock().expect("nobody panics");
        drop(self.0.released.wait_while(held, |is_held| *is_held).expect("nobody panics"));
        if self.0.is_failing.load(SeqCst) {
            return Err(StoreError::Write("no space left".into()));
        }
        self.0.commits.lock().expect("nobody panics").push(changes.to_vec());
        self.0.kept.commit(changes)
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Visits(AtomicU64);

/// What the stage offers, data that are kept, data that are not, and a resource.
fn server(stage: &Stage) -> Server {
    #[derive(Default)]
    struct Forgotten(AtomicU64);
    let visit = |_: Value, ctx: Context| async move {
        let visits = ctx.session_data::<Visits>().0.fetch_add(1, SeqCst) + 1;
        let forgotten = ctx.session_data::<Forgotten>().0.fetch_add(1, SeqCst) + 1;
        format!("{visits} {forgotten}")
    };
    let server = stage.server.clone().keep_session_data::<Visits>("visits");
    server.tool("visit", visit).resource(Resource::new("note://1", "note"), |_| async { "a note" })
}

async fn serve(stage: &Stage, store: impl Store) -> McpService {
    let http = StreamableHttp::new(server(stage)).store(store).await.expect("the store can be read");
    http.service()
}

/// The same client, at another service.
fn at(client: &Client, service: &McpService) -> Client {
    let mut client = client.clone();
    client.service = service.clone();
    client
}

async fn visit(client: &Client, id: i64) -> String {
    text(&client.ask(&client.call(id, "visit", json!({}))).await).to_owned()
}

/// The next event, behind comments.
async fn event(answer: &mut Answer) -> Option<Said> {
    while let Some(said) = answer.said().await {
        if said.comment.is_none() {
            return Some(said);
        }
    }
    None
}

#[track_caller]
fn is_unknown(response: &Value, id: i64) {
    let error = &response["error"];
    assert_eq!(
        (&response["id"], &error["code"], &error["data"]["reason"]),
        (&json!(id), &json!(-32000), &json!("outcome_unknown")),
        "{response}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_with_its_data_its_subscriptions_its_level_and_its_principal() {
    for revision in LEGACY {
        let (stage, store) = (Stage::new(), Journal::default());
        let service = serve(&stage, store.clone()).await;
        let mut client = Client::stranger(&service, revision).known_as("ada");
        client.greet(json!({ "roots": {} })).await;
        for (id, method, params) in [
            (1, "resources/subscribe", json!({ "uri": "note://1" })),
            (2, "logging/setLevel", json!({ "level": "error" })),
        ] {
            let answer = client.ask(&client.request(id, method, params)).await;
            assert!(answer["result"].is_object(), "{answer}");
        }
        assert_eq!([visit(&client, 3).await, visit(&client, 4).await], ["1 1", "2 2"]);

        // Nothing more is written, and another process begins.
        let stage = Stage::new();
        let after = serve(&stage, store.now()).await;
        let mut mallory = at(&client, &after).known_as("mallory");
        mallory.post(&mallory.call(9, "echo", json!({ "text": "x" }))).await.refusal(404).await;
        mallory.session = None;
        let client = at(&client, &after);
        assert_eq!(visit(&client, 5).await, "3 1", "{revision}");
        let [listing] = &after.endpoint().sessions()[..] else { panic!("one session") };
        assert_eq!(listing.client.as_ref().map(|client| client.name.as_str()), Some("test"));
        let session = &stage.server.handle().sessions()[0];
        assert_eq!((session.revision(), session.principal().as_deref()), (revision, Some("ada")));
        assert!(session.client_capabilities().roots.is_some());
        let mut get = client.get(None).await;
        let mut hints = Vec::new();
        for _ in 0..3 {
            let hint = get.message().await.expect("a hint");
            hints.push(hint["method"].as_str().expect("a method").to_owned());
        }
        let all = ["tools/list_changed", "resources/list_changed", "resources/updated"];
        assert!(all.iter().all(|hint| hints.contains(&format!("notifications/{hint}"))), "{hints:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ran_is_answered_on_its_stream_as_unknown_and_not_run_again() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    let mut answer = client.post(&client.call(7, "gate", json!({}))).await;
    let Some(Said { id: Some(primer), .. }) = event(&mut answer).await else { panic!("no priming event") };
    let store = store.now();

    let stage = Stage::new();
    let after = serve(&stage, store.clone()).await;
    let client = at(&client, &after);
    let mut resumed = client.get(Some(&primer)).await;
    let said = event(&mut resumed).await.expect("an outcome");
    is_unknown(&said.message().expect("a response"), 7);
    assert_eq!(event(&mut resumed).await, None, "the stream has ended");
    assert_eq!(stage.deeds.counts(), (0, 0, 0), "nothing was run");
    let metrics = after.endpoint().metrics();
    assert_eq!((metrics.sessions_restored, metrics.calls_interrupted, metrics.running), (1, 1, 0));

    // And so it is after one more end.
    let again = serve(&Stage::new(), store).await;
    let said = event(&mut at(&client, &again).get(Some(&primer)).await).await.expect("an outcome");
    is_unknown(&said.message().expect("a response"), 7);
    assert_eq!(again.endpoint().metrics().calls_interrupted, 0, "it had its outcome before");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_nobody_has_read_is_kept_within_a_moment() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    let mut answer = client.post(&client.call(7, "wait", json!({ "ms": 1_000 }))).await;
    let Some(Said { id: Some(primer), .. }) = event(&mut answer).await else { panic!("no priming event") };
    drop(answer);
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    let after = serve(&Stage::new(), store.now()).await;
    let response = at(&client, &after).get(Some(&primer)).await.response().await;
    assert_eq!(text(&response), "done");
}

/// Lets everything happen that can happen without time.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn no_event_is_told_before_it_is_kept() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    let mut get = client.get(None).await;
    assert!(event(&mut get).await.expect("a priming event").id.is_some());
    store.hold(true);
    let mut answer = client.post(&client.call(7, "gate", json!({}))).await;
    stage.server.handle().remove_tool("echo");
    for stream in [&mut answer, &mut get] {
        let mut said = pin!(event(stream));
        settle().await;
        let polled = poll_fn(|cx| Poll::Ready(said.as_mut().poll(cx).is_pending())).await;
        assert!(polled, "it was told too early");
    }
    store.hold(false);
    assert!(event(&mut answer).await.expect("a priming event").id.is_some());
    assert_eq!(get.message().await.expect("a hint")["method"], "notifications/tools/list_changed");
    stage.deeds.open();
    assert_eq!(text(&answer.response().await), "done");
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_one_text_waits_only_for_what_its_client_will_count_on() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    store.hold(true);
    let echo = client.ask(&client.call(1, "echo", json!({ "text": "at once" }))).await;
    assert_eq!(text(&echo), "at once");
    let subscribe = client.request(2, "resources/subscribe", json!({ "uri": "note://1" }));
    for message in [subscribe, client.call(3, "visit", json!({})), client.hello("again", json!({}))] {
        let mut newcomer = client.clone();
        if message["method"] == "initialize" {
            newcomer.session = None;
        }
        let mut answer = pin!(newcomer.post(&message));
        settle().await;
        let is_waiting = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx).is_pending())).await;
        assert!(is_waiting, "{message}");
        store.hold(false);
        assert_eq!(answer.await.status(), 200);
        store.hold(true);
    }
    store.hold(false);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_its_client_ended_does_not_come_back() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    client.ask(&client.call(1, "echo", json!({ "text": "x" }))).await;
    // The store has all of it, so nothing but the end itself is left to wait for.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(client.delete().await.status(), 200);
    let after = serve(&Stage::new(), store.now()).await;
    at(&client, &after).post(&client.call(2, "echo", json!({ "text": "x" }))).await.refusal(404).await;
    assert_eq!(after.endpoint().sessions().len(), 0);
    let left = store.now().load().expect("readable");
    let is_of_the_server = |record: &Record| record.name == "state key" || record.name.starts_with("gone ");
    assert!(left.iter().all(is_of_the_server), "{left:?}");
}

#[tokio::test(start_paused = true)]
async fn the_client_of_a_session_that_has_ended_is_told_the_same_before_and_after_a_restart() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let ended = Client::open(&service, LATEST).await;
    let expired = Client::open(&service, LATEST).await;
    for client in [&ended, &expired] {
        client.ask(&client.call(1, "echo", json!({ "text": "x" }))).await;
    }
    assert_eq!(ended.delete().await.status(), 200);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    // More than one end later it is still known.
    let after = serve(&Stage::new(), store.now()).await;
    let again = serve(&Stage::new(), store.now()).await;
    for service in [&service, &after, &again] {
        for (client, why) in [(&ended, "terminated"), (&expired, "expired")] {
            let client = at(client, service);
            let refused =
                client.post(&client.call(2, "echo", json!({ "text": "x" }))).await.refusal(404).await;
            assert_eq!(refused["error"]["data"]["reason"], why, "{refused}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_end_was_kept_and_whose_records_were_not_removed_is_over() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    client.ask(&client.call(1, "echo", json!({ "text": "x" }))).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(client.delete().await.status(), 200);
    let torn = MemoryStore::default();
    for change in store.0.commits.lock().expect("nobody panics").iter().flatten() {
        if !matches!(change, Change::Clear(_)) {
            torn.commit(std::slice::from_ref(change)).expect("memory can be written");
        }
    }
    let after = serve(&Stage::new(), torn.clone()).await;
    let client = at(&client, &after);
    let refused = client.post(&client.call(2, "echo", json!({ "text": "x" }))).await.refusal(404).await;
    assert_eq!(refused["error"]["data"]["reason"], "terminated");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let left = torn.load().expect("readable");
    assert!(left.iter().all(|record| record.name != "session"), "its records are gone: {left:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_told_to_end_leaves_its_sessions_to_the_next_one() {
    let (stage, store) = (Stage::new(), Journal::default());
    let told = Arc::<Mutex<Vec<SessionEvent>>>::default();
    let listening = |told: &Arc<Mutex<Vec<SessionEvent>>>| {
        let told = Arc::clone(told);
        move |event, _: &_| told.lock().expect("nobody panics").push(event)
    };
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&ended);
    let server = |stage: &Stage| server(stage).shutdown_grace(Duration::from_secs(5));
    let first = server(&stage).on_session_close(move |_| ends.store(true, SeqCst));
    let http = StreamableHttp::new(first).on_session(listening(&told)).store(store.clone()).await;
    let service = http.expect("the store can be read").service();
    let client = Client::open(&service, LATEST).await;
    let get = client.get(None).await;
    let mut long = client.post(&client.call(1, "wait", json!({ "ms": 600_000 }))).await;
    let Some(Said { id: Some(primer), .. }) = event(&mut long).await else { panic!("no priming event") };
    drop(long);
    let (_, heard) = tokio::join!(service.endpoint().shut_down(), get.messages());
    assert_eq!(heard, Vec::<Value>::new());
    assert!(!ended.load(SeqCst), "it has not ended");

    let restored = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&restored);
    let second = server(&Stage::new()).on_session_restore(move |session| {
        session.disable(Part::Tool("echo"));
        hears.lock().expect("nobody panics").push(session.data::<Visits>().is_some());
    });
    let http = StreamableHttp::new(second).on_session(listening(&told)).store(store.now()).await;
    let after = http.expect("the store can be read").service();
    let events = told.lock().expect("nobody panics").clone();
    assert_eq!(events, [SessionEvent::Opened, SessionEvent::Resting, SessionEvent::Restored]);
    assert_eq!(*restored.lock().expect("nobody panics"), [true]);
    let client = at(&client, &after);
    let response = client.get(Some(&primer)).await.response().await;
    assert_eq!(
        response["error"]["message"], "the server is shutting down",
        "its handler was stopped: {response}"
    );
    let echo = client.ask(&client.call(2, "echo", json!({ "text": "x" }))).await;
    assert!(echo["error"]["message"].as_str().is_some_and(|why| why.contains("disabled")), "{echo}");
}

#[tokio::test(start_paused = true)]
async fn while_the_store_cannot_be_written_new_requests_are_refused_and_nothing_is_lost() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    let mut answer = client.post(&client.call(1, "wait", json!({ "ms": 100 }))).await;
    assert!(event(&mut answer).await.expect("a priming event").id.is_some());
    store.0.is_failing.store(true, SeqCst);
    tokio::time::sleep(Duration::from_millis(400)).await;
    let refused = client.post(&client.call(2, "echo", json!({ "text": "x" }))).await;
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    let error = refused.refusal(503).await;
    assert_eq!(
        (&error["id"], &error["error"]["message"]),
        (&json!(2), &json!("the store of sessions cannot be written; try again later"))
    );
    assert!(service.endpoint().is_open() && !service.endpoint().is_ready());
    // Whoever has no session needs no store.
    let modern = Client::open(&service, MODERN).await;
    assert_eq!(
        text(&modern.ask(&modern.call(1, "echo", json!({ "text": "kept nowhere" }))).await),
        "kept nowhere"
    );
    store.0.is_failing.store(false, SeqCst);
    assert_eq!(text(&answer.response().await), "done");
    let echo = client.ask(&client.call(3, "echo", json!({ "text": "again" }))).await;
    assert_eq!(text(&echo), "again");
    assert!(service.endpoint().is_ready());
}

#[tokio::test(start_paused = true)]
async fn who_finds_out_that_the_store_cannot_be_written_is_told_so_and_has_no_session() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    store.0.is_failing.store(true, SeqCst);
    for attempt in ["first", "second"] {
        let stranger = Client::stranger(&service, LATEST);
        let refused = stranger.post(&stranger.hello(attempt, json!({}))).await;
        assert_eq!((refused.status(), refused.header("mcp-session-id")), (503, None));
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(refused.refusal(503).await["id"], attempt);
    }
    assert_eq!(service.endpoint().sessions().len(), 0);
    store.0.is_failing.store(false, SeqCst);
    // It is tried every second.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let client = Client::open(&service, LATEST).await;
    assert_eq!(text(&client.ask(&client.call(1, "echo", json!({ "text": "now" }))).await), "now");
}

#[tokio::test(start_paused = true)]
async fn a_modern_client_goes_on_with_its_second_round_after_a_restart() {
    async fn serve(store: &MemoryStore) -> McpService {
        let server = Server::new("asking", "1").tool("ask", |_: Value, ctx: Context| async move {
            let answer: Elicited<Name> = ctx.elicit("Who?").key("who").await?;
            Ok::<_, ToolError>(answer.accepted().map_or_else(|| "nobody".to_owned(), |it| it.name))
        });
        StreamableHttp::new(server).store(store.clone()).await.expect("the store can be read").service()
    }
    let store = MemoryStore::default();
    let client = Client::open(&serve(&store).await, MODERN).await;
    let mut call = client.call(1, "ask", json!({}));
    let asked = client.ask(&call).await;
    call["params"]["requestState"] = asked["result"]["requestState"].clone();
    call["params"]["inputResponses"] = json!({ "who": { "action": "accept", "content": { "name": "Ada" } } });
    let answer = at(&client, &serve(&store).await).ask(&call).await;
    assert_eq!(text(&answer), "Ada");
    let elsewhere = at(&client, &serve(&MemoryStore::default()).await).ask(&call).await;
    assert!(elsewhere["error"].is_object(), "another store has another key: {elsewhere}");
}

#[tokio::test(start_paused = true)]
async fn a_store_with_more_sessions_than_there_may_be_lets_the_rest_end() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(Client::open(&service, LATEST).await);
    }
    let http = StreamableHttp::new(server(&Stage::new())).max_sessions(2).store(store.now()).await;
    let after = http.expect("the store can be read").service();
    let mut alive = 0;
    for client in &clients {
        let client = at(client, &after);
        alive +=
            usize::from(client.post(&client.call(1, "echo", json!({ "text": "x" }))).await.status() == 200);
    }
    assert_eq!((alive, after.endpoint().sessions().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_restored_session_expires_in_its_time_and_not_before_its_client_could_come_back() {
    let idle = Duration::from_secs(100);
    let (stage, store) = (Stage::new(), Journal::default());
    let http = |stage: &Stage| StreamableHttp::new(server(stage)).session_idle(idle);
    let service = http(&stage).store(store.clone()).await.expect("the store can be read").service();
    let client = Client::open(&service, LATEST).await;
    let after = http(&stage).store(store.now()).await.expect("the store can be read").service();
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(after.endpoint().sessions().len(), 1);
    tokio::time::sleep(Duration::from_secs(41)).await;
    let error =
        at(&client, &after).post(&client.call(9, "echo", json!({ "text": "x" }))).await.refusal(404).await;
    assert_eq!(error["error"]["data"]["reason"], "expired");
}

#[tokio::test(start_paused = true)]
async fn a_record_that_makes_no_sense_costs_its_session_and_no_other() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let (spoilt, sound) = (Client::open(&service, LATEST).await, Client::open(&service, LATEST).await);
    for client in [&spoilt, &sound] {
        client.ask(&client.call(1, "echo", json!({ "text": "x" }))).await;
    }
    for (name, value) in [("session", "{}"), ("client", "no JSON"), ("stream 1", "[1]")] {
        let store = store.now();
        let id = spoilt.session.as_deref().expect("a session").parse().expect("an id");
        let place = hermes_server::store::Place::Session(id);
        let record = Record { place, name: name.to_owned(), value: value.as_bytes().into() };
        store.commit(&[Change::Put(record)]).expect("memory can be written");
        let after = serve(&Stage::new(), store).await;
        let statuses = [&spoilt, &sound].map(|client| at(client, &after));
        let call = sound.call(2, "echo", json!({ "text": "x" }));
        assert_eq!(statuses[0].post(&call).await.status(), 404, "{name}");
        assert_eq!(statuses[1].post(&call).await.status(), 200, "{name}");
    }
}

/// The process ends after every single commit. Whatever the client has read by then, it can go on after it, and what it
/// is told then is what comes after it.
#[tokio::test(start_paused = true)]
async fn wherever_the_process_ends_a_client_goes_on_after_what_it_has_read() {
    let (stage, store) = (Stage::new(), Journal::default());
    let service = serve(&stage, store.clone()).await;
    let client = Client::open(&service, LATEST).await;
    // What was read: after how many commits, and from which stream.
    let mut read: Vec<(usize, usize, Said)> = Vec::new();
    let mut get = client.get(None).await;
    let mut first = client.post(&client.call(1, "steps", json!({ "n": 3, "ms": 40 }))).await;
    let mut second = client.post(&client.call(2, "wait", json!({ "ms": 90 }))).await;
    let mut is_open = [true; 3];
    for round in 0..4 {
        for (which, stream) in [&mut get, &mut first, &mut second].into_iter().enumerate() {
            if is_open[which] && (which > 0 || round < 3) {
                match event(stream).await {
                    Some(said) => read.push((store.commits(), which, said)),
                    None => is_open[which] = false,
                }
            }
            if which == 0 {
                stage.server.handle().add(hermes_server::Component::tool(
                    format!("new {round}"),
                    |_: Value, _: Context| async {},
                ));
            }
        }
    }
    assert!(read.len() > 8, "{read:?}");
    for ended in 1..=store.commits() {
        let after = serve(&Stage::new(), store.after(ended)).await;
        let client = at(&client, &after);
        for which in 0..3 {
            let seen: Vec<_> = read.iter().filter(|(at, of, _)| *at <= ended && *of == which).collect();
            let Some((_, _, last)) = seen.last() else { continue };
            let id = last.id.as_deref().expect("every event has an id");
            let answer = client.get(Some(id)).await;
            if last.message().is_some_and(|message| message.get("result").is_some()) {
                assert_eq!(answer.status(), 400, "it has the response");
                continue;
            }
            assert_eq!(answer.status(), 200, "after {ended} commits, stream {which}, {id}");
            if which == 0 {
                continue;
            }
            let rest = answer.messages().await;
            let told = seen.iter().filter_map(|(_, _, said)| said.message());
            assert!(told.into_iter().all(|earlier| !rest.contains(&earlier)), "told twice: {rest:?}");
            let outcome = rest.last().expect("an outcome");
            assert_eq!(outcome["id"], which, "{outcome}");
            match outcome.get("result") {
                Some(_) => assert_eq!(text(outcome), "done"),
                None => is_unknown(outcome, i64::try_from(which).expect("small")),
            }
        }
    }
}
