//! Between two entries of a handler: what goes out at the end of one, and what comes in with the next.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::SystemTime;

use hermes_proto::opening::Beside;
use hermes_types::{Fault, InputRequest, InputRequiredResult, Method, RawJson, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::book::{Asked, Way};
use super::kept::{Kept, Opened};
use super::question::Question;
use super::seal::{Origin, Seal};

/// The end of a round: the questions for the client, and what is kept until it repeats the request.
#[derive(Debug)]
pub(crate) struct Round {
    questions: Vec<(String, Question)>,
    kept: Kept,
}

impl Round {
    pub(super) fn new(questions: Vec<(String, Question)>, mut kept: Kept) -> Self {
        let opened = |(key, question): &(String, Question)| {
            let Question { digest, method, .. } = question;
            (key.clone(), Opened { digest: digest.clone(), method: method.as_str().to_owned() })
        };
        kept.open = questions.iter().map(opened).collect();
        Self { questions, kept }
    }

    /// The result that ends the round. `origin` is the request that is being answered, `now` the wall clock.
    ///
    /// # Errors
    /// An internal error: there is more to keep than fits.
    pub(crate) fn into_result(
        self,
        seal: &Seal,
        origin: &Origin<'_>,
        now: SystemTime,
    ) -> Result<InputRequiredResult, Fault> {
        let state = seal.seal(self.kept, origin, now)?;
        let request = |(key, question): (String, Question)| {
            (key, InputRequest::new(question.method.as_str(), Some(question.params)))
        };
        let requests = self.questions.into_iter().map(request).collect();
        Ok(InputRequiredResult::new(requests).with_request_state(state))
    }
}

/// The members of `params` that make a request a retry.
#[derive(Default, Deserialize)]
struct Retry<'a> {
    #[serde(rename = "inputResponses", borrow, default)]
    responses: Option<&'a RawValue>,
    #[serde(rename = "requestState", borrow, default)]
    state: Option<State<'a>>,
}

#[derive(Deserialize)]
struct State<'a>(#[serde(borrow)] Cow<'a, str>);

impl Asked {
    /// The book of a call that has just come in.
    ///
    /// In the modern era it takes in `requestState` and `inputResponses`, if the method is one that may
    /// ask; everything else has a book that is empty. `beside` is what was found in the parameters of the origin.
    ///
    /// # Errors
    /// −32602: the state does not verify, has expired or belongs to another request, or the answers are no
    /// answers. The handler must not run.
    pub(crate) fn enter(
        revision: Revision,
        origin: &Origin<'_>,
        beside: &Beside<'_>,
        seal: &Seal,
        now: impl FnOnce() -> SystemTime,
    ) -> Result<Self, Fault> {
        if !revision.is_modern() {
            return Ok(Self::new(Way::Requests));
        }
        if !may_ask(origin.method) {
            return Ok(Self::new(Way::None));
        }
        if beside.input_responses.is_nothing() && beside.request_state.is_nothing() {
            return Ok(Self::new(Way::Rounds));
        }
        let params = origin.params.unwrap_or("{}");
        let retry: Retry<'_> = serde_json::from_str(params)
            .map_err(|error| Fault::invalid_params(format!("requestState or inputResponses: {error}")))?;
        let responses: BTreeMap<String, RawJson> = match retry.responses {
            Some(responses) => serde_json::from_str(responses.get())
                .map_err(|_| Fault::invalid_params("inputResponses is not an object"))?,
            None => BTreeMap::new(),
        };
        let Some(State(state)) = retry.state else {
            // A client may know beforehand what it will be asked.
            return Ok(Self::offered(Way::Rounds, responses));
        };
        let mut kept = seal.open(&state, origin, now())?;
        kept.absorb(&responses)?;
        Ok(Self::resumed(Way::Rounds, kept))
    }
}

/// Whether a request may be answered with `input_required`.
///
/// Source: `basic/patterns/mrtr#supported-requests`, 2026-07-28.
pub(crate) fn may_ask(method: &str) -> bool {
    matches!(Method::parse(method), Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead))
}
