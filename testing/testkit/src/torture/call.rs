//! One call, from its POST through its resumes to its answer.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::raw::{Answer, Connection, Event, Frame, RawError, Session};
use crate::relay::{Fate, Relay, Strike, Struck};
use crate::torture::figures::Count;
use crate::torture::plan::{CallPlan, Cut, Kill, Work};

/// What became of a call, or of several.
#[derive(Debug, Default)]
pub struct Ended {
    /// What was counted.
    pub count: Count,
    /// The text of the answer.
    pub text: Option<String>,
    /// What must not be, one line each.
    pub findings: Vec<String>,
    /// Connections that the client left open, and keeps open as long as it keeps this.
    pub left: Vec<Answer>,
}

/// What was seen of a call so far.
#[derive(Debug)]
struct Seen<'a> {
    plan: &'a CallPlan,
    ids: BTreeSet<String>,
    notes: u64,
    answers: u64,
    ended: Ended,
}

/// How reading one connection ended.
enum Read {
    /// The answer is complete, as HTTP says.
    Complete,
    /// The connection was cut, or left.
    Cut,
}

impl Kill {
    pub(super) const fn fate(self) -> Option<Fate> {
        match self {
            Self::Bytes(after, strike) => Some(Fate::pass().strike_answer(after, strike)),
            Self::Events(..) => None,
        }
    }
}

/// Makes one call through a relay and reads its answer, whatever is cut: after a cut it resumes, if it can. What takes
/// longer than `patience` is lost, however much its stream is kept alive.
///
/// # Cancel safety
/// Not cancel safe: a call that was made goes on at the server.
pub async fn follow(session: &Session, relay: &Relay, plan: &CallPlan, patience: Duration) -> Ended {
    let mut seen = Seen { plan, ids: BTreeSet::new(), notes: 0, answers: 0, ended: Ended::default() };
    seen.ended.count.calls = 1;
    match timeout(patience, seen.all(session, relay)).await {
        Ok(Ok(())) => {}
        Err(_) | Ok(Err(RawError::Silent)) => {
            seen.ended.count.hung += 1;
            seen.lost("it was never answered");
        }
        Ok(Err(other)) => seen.wrong(&other.to_string()),
    }
    seen.ended
}

impl Seen<'_> {
    async fn all(&mut self, session: &Session, relay: &Relay) -> Result<(), RawError> {
        let mut cursor: Option<String> = None;
        for attempt in 0.. {
            let kill = self.plan.kills.get(attempt).copied();
            let fate = kill.and_then(Kill::fate).unwrap_or_default();
            let (stream, mut struck) = relay.connect(fate).await?;
            let connection = Connection::over(stream);
            let answer = if attempt == 0 {
                let (tool, arguments) = self.plan.tool();
                let request = session.call_with_progress(self.plan.id, tool, arguments, self.plan.mark());
                or_struck(session.post_on(connection, &request, &[]), &mut struck).await
            } else {
                self.ended.count.resumes += 1;
                or_struck(session.get_on(connection, cursor.as_deref()), &mut struck).await
            };
            let read = match answer {
                Some(Ok(answer)) => self.read(answer, kill, &mut struck, &mut cursor).await?,
                Some(Err(error)) if error.is_cut() && kill.is_some() => Read::Cut,
                Some(Err(error)) => return Err(error),
                None => Read::Cut,
            };
            let Read::Cut = read else {
                self.complete();
                return Ok(());
            };
            self.ended.count.cuts += 1;
            if session.revision().is_modern() {
                self.ended.count.given_up += 1;
                return Ok(());
            }
            if self.answers > 0 {
                // Only the end of the stream was cut off.
                self.complete();
                return Ok(());
            }
            if cursor.is_none() {
                self.ended.count.blind += 1;
                return Ok(());
            }
        }
        Ok(())
    }

    async fn read(
        &mut self,
        mut answer: Answer,
        kill: Option<Kill>,
        struck: &mut Struck,
        cursor: &mut Option<String>,
    ) -> Result<Read, RawError> {
        if answer.status() != 200 {
            let body = answer.body().await?;
            let body = String::from_utf8_lossy(&body).into_owned();
            self.lost(&format!("status {} instead of an answer: {body}", answer.status()));
            return Ok(Read::Complete);
        }
        let may_be_cut =
            |error: RawError| if error.is_cut() && kill.is_some() { Ok(Read::Cut) } else { Err(error) };
        if !answer.is_events() {
            return match or_struck(answer.json(), struck).await {
                Some(Ok(message)) => {
                    self.message(&message);
                    Ok(Read::Complete)
                }
                Some(Err(error)) => may_be_cut(error),
                None => Ok(Read::Cut),
            };
        }
        let mut events = 0;
        loop {
            let event = match or_struck(answer.frame(), struck).await {
                Some(Ok(Frame::Comment(_))) => continue,
                Some(Ok(Frame::End)) => return Ok(Read::Complete),
                Some(Ok(Frame::Event(event))) => event,
                Some(Err(error)) => return may_be_cut(error),
                None => return Ok(Read::Cut),
            };
            self.event(&event)?;
            *cursor = answer.last_event_id().map(str::to_owned);
            events += 1;
            if let Some(Kill::Events(after, cut)) = kill
                && events == after
            {
                match cut {
                    Cut::Abandon => self.ended.left.push(answer),
                    Cut::Close => drop(answer),
                    Cut::Reset => answer.reset()?,
                }
                return Ok(Read::Cut);
            }
        }
    }

    fn event(&mut self, event: &Event) -> Result<(), RawError> {
        if let Some(id) = &event.id
            && !self.ids.insert(id.clone())
        {
            self.duplicated(&format!("the event {id} came twice"));
        }
        if let Some(message) = event.message()? {
            self.message(&message);
        }
        Ok(())
    }

    fn message(&mut self, message: &Value) {
        match message["method"].as_str() {
            None => self.response(message),
            Some("notifications/progress") => self.note(message),
            Some(other) => self.crossed(&format!("{other} on the call's stream")),
        }
    }

    fn response(&mut self, message: &Value) {
        let text = message["result"]["content"][0]["text"].as_str();
        if message["id"] != self.plan.id {
            return self.crossed(&format!("the answer to {} came", message["id"]));
        }
        let Some(text) = text.filter(|_| message["result"]["isError"] != true) else {
            return self.wrong(&format!("answered by {message}"));
        };
        if !self.plan.fits(text) {
            return self.crossed(&format!("the answer says {text:.60}"));
        }
        self.answers += 1;
        if self.answers > 1 {
            return self.duplicated("it was answered twice");
        }
        self.ended.text = Some(text.to_owned());
        if let Work::Progress { notes, .. } = self.plan.work
            && self.notes != notes
        {
            self.lost(&format!("{} of {notes} notes came before the answer", self.notes));
        }
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        if params["progressToken"] != self.plan.mark().as_str() {
            return self.crossed(&format!("progress of {} came", params["progressToken"]));
        }
        let step = params["progress"].as_f64().map_or(0, |step| step as u64);
        if step <= self.notes {
            return self.duplicated(&format!("note {step} came after note {}", self.notes));
        }
        if step > self.notes + 1 {
            self.lost(&format!("note {step} came after note {}", self.notes));
        }
        self.notes = step;
    }

    fn complete(&mut self) {
        if self.answers == 0 && self.ended.findings.is_empty() {
            self.lost("the stream ended without its answer");
        }
    }

    fn lost(&mut self, what: &str) {
        self.ended.count.lost += 1;
        self.found("lost", what);
    }

    fn duplicated(&mut self, what: &str) {
        self.ended.count.duplicated += 1;
        self.found("duplicated", what);
    }

    fn crossed(&mut self, what: &str) {
        self.ended.count.crossed += 1;
        self.found("crossed", what);
    }

    fn wrong(&mut self, what: &str) {
        self.ended.count.wrong += 1;
        self.found("wrong", what);
    }

    fn found(&mut self, kind: &str, what: &str) {
        self.ended.findings.push(format!("{kind}: {}: {what}", self.plan));
    }
}

/// Does something with a connection, unless it goes silent for good: then `None`.
pub(super) async fn or_struck<T>(work: impl Future<Output = T>, struck: &mut Struck) -> Option<T> {
    tokio::select! {
        // What was forwarded before is read before.
        biased;
        done = work => Some(done),
        Some(Strike::Stall | Strike::Swallow) = struck.wait() => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use hermes_types::Revision;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tokio::task::JoinSet;

    use super::*;
    use crate::raw::{PATIENCE, Target};
    use crate::torture::plan::Cut;

    /// Answers each connection with the next stream of events, whatever is asked.
    async fn scripted(streams: &[String]) -> (Target, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut streams: VecDeque<String> = streams.iter().cloned().collect();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            while let Some(body) = streams.pop_front() {
                let (mut stream, _) = listener.accept().await.expect("a client");
                stream.read_u8().await.expect("a request");
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let mut connection = Connection::over(stream);
                connection.send(format!("{head}{body}").as_bytes()).await.expect("sent");
                // What the client says besides is read, so that the end is an ordinary one.
                let _ = connection.until_closed().await;
            }
        });
        (Target::parse(&format!("http://{address}/mcp")).expect("a target"), tasks)
    }

    fn event(id: u64, message: &str) -> String {
        format!("id: e-{id}\ndata: {message}\n\n")
    }

    fn note(step: u64) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"s0-c1","progress":{step}}}}}"#
        )
    }

    fn answer(id: u64) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"done"}}]}}}}"#)
    }

    /// What is found in a call with two notes that is answered by these streams, all but the last of them cut off
    /// by the client after their first event.
    async fn found(streams: &[String]) -> Count {
        let (target, _serving) = scripted(streams).await;
        let relay = Relay::start(target.address).await.expect("a relay");
        let session = Session::stranger(&target, Revision::V2025_11_25).with_id(Some("s"));
        let kills = vec![Kill::Events(1, Cut::Reset); streams.len() - 1];
        let work = Work::Progress { notes: 2, interval_ms: 0 };
        follow(&session, &relay, &CallPlan { session: 0, id: 1, work, kills }, PATIENCE).await.count
    }

    #[tokio::test]
    async fn a_call_that_is_resumed_as_it_should_be_has_no_fault() {
        let (first, second) = (event(1, &note(1)), event(2, &note(2)) + &event(3, &answer(1)));
        let count = found(&[first, second]).await;
        assert_eq!(count, Count { calls: 1, cuts: 1, resumes: 1, ..Count::default() });
    }

    #[tokio::test]
    async fn what_is_lost_is_found() {
        let all = Count { calls: 1, lost: 1, ..Count::default() };
        assert_eq!(found(&[event(1, &note(1)) + &event(2, &note(2))]).await, all);
        assert_eq!(found(&[event(1, &note(1)) + &event(2, &answer(1))]).await, all);
        let resumed = found(&[event(1, &note(1)), String::new()]).await;
        assert_eq!(resumed, Count { cuts: 1, resumes: 1, ..all });
    }

    #[tokio::test]
    async fn what_comes_twice_is_found() {
        let (notes, end) = (event(1, &note(1)) + &event(2, &note(2)), event(3, &answer(1)));
        let repeated = found(&[event(1, &note(1)), notes.clone() + &end]).await;
        // The event, and the note in it.
        assert_eq!(repeated, Count { calls: 1, cuts: 1, resumes: 1, duplicated: 2, ..Count::default() });
        let noted = found(&[notes + &event(4, &note(2)) + &end]).await;
        assert_eq!(noted, Count { calls: 1, duplicated: 1, ..Count::default() });
    }

    #[tokio::test]
    async fn what_is_not_the_calls_own_is_found() {
        let notes = event(1, &note(1)) + &event(2, &note(2));
        let strange = note(3).replace("s0-c1", "s0-c2");
        let crossed = found(&[notes.clone() + &event(3, &strange) + &event(4, &answer(1))]).await;
        assert_eq!(crossed, Count { calls: 1, crossed: 1, ..Count::default() });
        let other = answer(1).replace("done", "x");
        let crossed = found(&[notes + &event(3, &other)]).await;
        assert_eq!(crossed.crossed, 1, "{crossed:?}");
    }
}
