//! Putting questions: the future that a handler awaits.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll};
use std::time::Duration;

use hermes_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestParams,
    ElicitRequestUrlParams, Encode, IncludeContext, ListRootsResult, Loss, LossKind, Method, RawJson, Root,
    Wire,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::answer::{Elicited, elicited, read_or_blame};
use super::book::{Asked, Found, Way};
use super::error::{AskError, Capability, QuestionError};
use super::form::Form;
use super::once::is_inside_effect;
use super::question::Question;
use super::sampling::check_messages;
use super::seal::fresh_token;
use crate::Context;

/// Reads an answer.
type Read<T> = Box<dyn FnOnce(&RawJson) -> Result<T, AskError> + Send>;
/// Makes the question and says how to read its answer, when the future is first polled.
type Prepare<T> = Box<dyn FnOnce(&Context) -> Result<(Question, Read<T>), AskError> + Send>;

/// A question to the client, to be awaited.
///
/// Nothing is asked before it is polled for the first time; dropping it takes the question back. Several
/// questions in a `join!` are put together.
///
/// **In the modern era the handler is entered again with the answer**, so whatever comes before an `.await`
/// on a question may run twice: see [`Context::once`].
#[must_use = "a question is only put when it is awaited"]
pub struct Ask<T>(Stage<T>);

enum Stage<T> {
    Draft { context: Context, prepare: Option<Prepare<T>>, name: Option<String>, patience: Option<Duration> },
    Put(Pin<Box<dyn Future<Output = Result<T, AskError>> + Send>>),
}

impl<T: 'static> Ask<T> {
    fn new(
        context: &Context,
        prepare: impl FnOnce(&Context) -> Result<(Question, Read<T>), AskError> + Send + 'static,
    ) -> Self {
        let (context, prepare) = (context.clone(), Some(Box::new(prepare) as Prepare<T>));
        Self(Stage::Draft { context, prepare, name: None, patience: None })
    }

    /// Names the question. The client sees the name as the question's key; a name that is used again in the
    /// same call gets a number. Without a name the key is made from the question itself.
    ///
    /// A name is of use when the question's text changes from one entry to the next, or to read traces by.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        if let Stage::Draft { name, .. } = &mut self.0 {
            *name = Some(key.into());
        }
        self
    }

    /// Waits at most so long for the answer, then ends with [`AskError::Timeout`]. Without it, a question
    /// may take as long as the call itself.
    ///
    /// In the modern era nobody waits; there the sealed state expires.
    pub fn patience(mut self, limit: Duration) -> Self {
        if let Stage::Draft { patience, .. } = &mut self.0 {
            *patience = Some(limit);
        }
        self
    }
}

impl<T: 'static> Future for Ask<T> {
    type Output = Result<T, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        if let Stage::Draft { context, prepare, name, patience } = &mut self.0 {
            let Some(prepare) = prepare.take() else { return Poll::Ready(Err(AskError::Closed)) };
            let (context, name, patience) = (context.clone(), name.take(), *patience);
            self.0 = Stage::Put(Box::pin(ask(context, prepare, name, patience)));
        }
        match &mut self.0 {
            Stage::Put(future) => future.as_mut().poll(cx),
            Stage::Draft { .. } => Poll::Pending,
        }
    }
}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("is_put", &matches!(self.0, Stage::Put(_))).finish()
    }
}

async fn ask<T>(
    context: Context,
    prepare: Prepare<T>,
    name: Option<String>,
    patience: Option<Duration>,
) -> Result<T, AskError> {
    // In both eras, although only one of them would deadlock: a handler is written once.
    if is_inside_effect() {
        return Err(QuestionError::InsideOnce.into());
    }
    let (question, read) = prepare(&context)?;
    let question = question.named(name)?;
    let asked = context.asked();
    let answer = match asked.way {
        Way::Requests => {
            let request = context.request_from_client(question.method, Some(&question.params), patience);
            // A task that outlives the call asks nobody any more: a question belongs to a running request.
            tokio::select! {
                biased;
                () = asked.ended() => return Err(AskError::Closed),
                answer = request => answer?,
            }
        }
        Way::Rounds => in_rounds(asked, question).await?,
        Way::None => return Err(QuestionError::NotFromHere.into()),
    };
    let read = read(&answer);
    asked.note_answer(&read);
    read
}

/// The answer from an earlier round; else stays pending until the call ends.
async fn in_rounds(asked: &Asked, question: Question) -> Result<RawJson, AskError> {
    /// Takes the question back when nobody waits for it any more.
    struct Open<'a> {
        asked: &'a Asked,
        key: String,
    }
    impl Drop for Open<'_> {
        fn drop(&mut self) {
            self.asked.withdraw(&self.key);
        }
    }
    match asked.put(question)? {
        Found::Answer(answer) => Ok(answer),
        Found::Open(key) => {
            let _open = Open { asked, key };
            asked.ended().await;
            Err(AskError::Closed)
        }
    }
}

impl Context {
    /// Asks the user to fill in a form, made from `T`: a struct of texts, numbers, yes or no, and choices,
    /// or `()` for a plain yes or no. Documentation comments become the descriptions.
    ///
    /// Never ask for passwords, keys or tokens this way: the client and its model see the answer
    /// (`client/elicitation`, 2026-07-28). That is what [`elicit_url`](Self::elicit_url) is for.
    ///
    /// ```
    /// # use hermes_server::{Context, ToolError, ask::Elicited};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Visitor {
    ///     /// Your first name
    ///     name: String,
    /// }
    ///
    /// async fn greet(ctx: Context) -> Result<String, ToolError> {
    ///     Ok(match ctx.elicit::<Visitor>("Who are you?").await? {
    ///         Elicited::Accepted(visitor) => format!("Hello, {}", visitor.name),
    ///         Elicited::Declined => "As you like".to_owned(),
    ///         Elicited::Cancelled => "Another time then".to_owned(),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// The future gives [`AskError`]: above all `Unsupported` when the client shows no forms, and
    /// `BadAnswer` when what came back does not fit `T`.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    pub fn elicit<T>(&self, message: impl Into<String>) -> Ask<Elicited<T>>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let message = message.into();
        Ask::new(self, move |context| {
            let form = Form::of::<T>()?;
            context.require(&[Capability::ElicitationForm])?;
            let question = context.elicitation(ElicitRequestFormParams::new(message, form.schema.clone()))?;
            Ok((question, Box::new(move |answer: &RawJson| form.read(answer)) as Read<_>))
        })
    }

    /// Asks the user to open a page. `Accepted` means that the user agreed, not that the page did its work.
    ///
    /// The URL must hold no secret of the user and give no access by itself; use HTTPS outside development.
    ///
    /// # Errors
    /// The future gives [`AskError`]: `Unsupported` when the client opens no pages, which is so for every
    /// client before 2025-11-25.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    ///
    /// Source: `client/elicitation#url-mode-elicitation-requests`, 2026-07-28.
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> Ask<Elicited<()>> {
        let (message, url) = (message.into(), url.into());
        Ask::new(self, move |context| {
            if !is_url(&url) {
                return Err(QuestionError::NoUrl { url }.into());
            }
            context.require(&[Capability::ElicitationUrl])?;
            // 2025-11-25 wants an id; 2026-07-28 has none, so that the digest stays the same there.
            let id = fresh_token().map_err(|error| QuestionError::NoJson { reason: error.to_string() })?;
            let question = context.elicitation(ElicitRequestUrlParams::new(message, url, id))?;
            let read = |answer: &RawJson| match elicited(answer) {
                Ok(outcome) => Ok(outcome.map(drop)),
                Err(invalid) => Err(AskError::BadAnswer(invalid)),
            };
            Ok((question, Box::new(read) as Read<_>))
        })
    }

    /// Asks the client's model to go on with a conversation. The client may show it to its user, change it,
    /// and refuse it.
    ///
    /// # Errors
    /// The future gives [`AskError`]: `Unsupported` when the client has no model, or no tools or context
    /// where the parameters ask for them; `Refused` when the user said no.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    ///
    /// Source: `client/sampling`, 2026-07-28.
    pub fn sample(&self, mut params: CreateMessageRequestParams) -> Ask<CreateMessageResult> {
        Ask::new(self, move |context| {
            check_messages(&params.messages)?;
            let mut needed = vec![Capability::Sampling];
            if params.tools.is_some() || params.tool_choice.is_some() {
                needed.push(Capability::SamplingTools);
            }
            if !matches!(params.include_context, None | Some(IncludeContext::None)) {
                needed.push(Capability::SamplingContext);
            }
            context.require(&needed)?;
            params.task = None; // A task is no answer.
            let (params, losses) = params.downgrade(context.revision());
            context.note(&losses);
            let question = context.question(Method::SamplingCreateMessage, &params)?;
            Ok((question, Box::new(read_or_blame) as Read<_>))
        })
    }

    /// Asks for the places that the client lets this server work in.
    ///
    /// # Errors
    /// The future gives [`AskError`]: `Unsupported` when the client has no roots.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    ///
    /// Source: `client/roots`, 2026-07-28.
    pub fn roots(&self) -> Ask<Vec<Root>> {
        Ask::new(self, |context| {
            context.require(&[Capability::Roots])?;
            let question = Question::new(Method::RootsList, RawJson::empty_object());
            let read = |answer: &RawJson| read_or_blame::<ListRootsResult>(answer).map(|result| result.roots);
            Ok((question, Box::new(read) as Read<_>))
        })
    }

    /// Whether the client can be asked something, for handlers that have another way.
    ///
    /// Asking a client that cannot be asked marks the call: when the handler then fails, the client is told
    /// of the missing capability (−32021 in 2026-07-28) and not of the failure. Looking first marks nothing.
    #[must_use]
    pub fn can_ask(&self, capability: Capability) -> bool {
        self.asked().way != Way::None && capability.is_met(self.client_capabilities(), self.revision())
    }

    fn require(&self, needed: &[Capability]) -> Result<(), AskError> {
        if self.asked().way == Way::None {
            return Err(QuestionError::NotFromHere.into());
        }
        let (declared, revision) = (self.client_capabilities(), self.revision());
        match needed.iter().find(|capability| !capability.is_met(declared, revision)) {
            Some(missing) => Err(self.asked().miss(*missing)),
            None => Ok(()),
        }
    }

    /// The question in the words of the revision in force.
    fn elicitation(&self, params: impl Into<ElicitRequestParams>) -> Result<Question, AskError> {
        match params.into().downgrade(self.revision()) {
            Ok((params, losses)) => {
                self.note(&losses);
                Ok(self.question(Method::ElicitationCreate, &params)?)
            }
            // What a revision does not have, no client of it can have declared.
            Err(loss) => Err(self.asked().miss(match loss.kind {
                LossKind::UrlElicitation => Capability::ElicitationUrl,
                _ => Capability::ElicitationForm,
            })),
        }
    }

    fn note(&self, losses: &[Loss]) {
        for loss in losses {
            tracing::debug!(request = %self.request_id(), %loss, "a question was simplified for its client");
        }
    }

    fn question<P: Encode>(&self, method: Method, params: &P) -> Result<Question, QuestionError> {
        let params = RawJson::encode(&Wire(params, self.revision()));
        let params = params.map_err(|error| QuestionError::NoJson { reason: error.to_string() })?;
        Ok(Question::new(method, params))
    }
}

/// Whether a text is an absolute URL: a scheme, and after it what RFC 3986 lets stand there.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let mut bytes = rest.bytes();
    let mut fragments = 0_u32;
    let is_clean = loop {
        match bytes.next() {
            None => break true,
            Some(b'%') => {
                let has_digits = (0..2).all(|_| bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit()));
                if !has_digits {
                    break false;
                }
            }
            Some(b'#') => fragments += 1,
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(&byte) => {}
            Some(_) => break false,
        }
    };
    is_scheme && is_clean && fragments <= 1 && !rest.is_empty()
}
