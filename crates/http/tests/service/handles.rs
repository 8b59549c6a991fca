//! Sessions over HTTP, as the rest of the program holds them.

use std::sync::{Arc, Mutex};

use hermes_http::StreamableHttp;
use hermes_server::{Component, Context, Part, SessionHandle};
use hermes_types::LoggingLevel;
use serde_json::json;

use crate::client::{Client, LATEST, LEGACY, text};
use crate::stage::Stage;

fn own() -> Component {
    Component::tool("own", |(): (), _: Context| async { "own" })
}

#[tokio::test(start_paused = true)]
async fn a_session_is_told_of_what_is_its_own_and_all_of_what_is_everybodys() {
    let stage = Stage::new();
    let service = stage.http().service();
    for revision in LEGACY {
        let (first, second) =
            (Client::open(&service, revision).await, Client::open(&service, revision).await);
        let (mut one, mut two) = (first.get(None).await, second.get(None).await);
        let handles = stage.server.handle().sessions();
        let [.., session, _] = handles.as_slice() else { panic!("two sessions at least") };
        assert!(session.add(own()));
        stage.server.handle().log(LoggingLevel::Error, "to all");
        let told = one.message().await.expect("a message");
        assert_eq!(told["method"], "notifications/tools/list_changed");
        for stream in [&mut one, &mut two] {
            let logged = stream.message().await.expect("a message");
            assert_eq!(logged["params"], json!({ "level": "error", "data": "to all" }), "{revision}");
        }
        assert_eq!(text(&first.ask(&first.call(1, "own", json!({}))).await), "own");
        let refused = second.ask(&second.call(1, "own", json!({}))).await;
        assert_eq!(refused["error"]["message"], "unknown tool: own");
        assert!(session.disable(Part::Tool("own")));
        let disabled = first.ask(&first.call(2, "own", json!({}))).await;
        assert_eq!(disabled["error"]["message"], "the tool own is disabled");
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_are_told_of_sessions_over_http_once_and_while_their_data_are_there() {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let (opened, closed) = (Arc::clone(&told), Arc::clone(&told));
    let note = |notes: &Mutex<Vec<String>>, text: String| notes.lock().expect("nobody panics").push(text);
    let server = Stage::new()
        .server
        .on_session_open(move |session: &SessionHandle| {
            *session.data::<Mutex<u8>>().expect("it is open").lock().expect("nobody panics") = 7;
            note(&opened, "opened".to_owned());
        })
        .on_session_close(move |session: &SessionHandle| {
            let kept = session.data::<Mutex<u8>>().map(|kept| *kept.lock().expect("nobody panics"));
            note(&closed, format!("closed with {kept:?}"));
        });
    let service = StreamableHttp::new(server.clone()).service();
    let client = Client::open(&service, LATEST).await;
    let left = Client::open(&service, LATEST).await;
    let [session, _] = server.handle().sessions().try_into().expect("two sessions");
    client.delete().await;
    client.delete().await;
    assert!(!session.is_open());
    assert_eq!(*told.lock().expect("nobody panics"), ["opened", "opened", "closed with Some(7)"]);
    service.endpoint().shut_down().await;
    assert_eq!(told.lock().expect("nobody panics").len(), 4);
    drop(left);
    // What was held on to does no harm.
    assert!(!session.add(own()));
    assert_eq!(server.handle().sessions(), []);
}
