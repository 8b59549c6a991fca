//! The table of the outbox's documentation, as data.

use hermes_proto::outbox::Stage::{
    AnsweredLeased, AnsweredWaiting, Closed, RunningLeased, RunningWaiting, StandaloneLeased,
    StandaloneWaiting,
};
use hermes_proto::outbox::{Lease, Next, ResumeError, Stage};

/// What is asked of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    AppendOther,
    AppendResponse,
    Attach,
    CloseAll,
    DetachCurrent,
    DetachStale,
    Expire,
    NextCurrent,
    NextStale,
    Open,
    Resume,
}

/// What comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Output {
    Ahead,
    Behind,
    Done,
    Ended,
    Event,
    False,
    Finished,
    Gone,
    Idle,
    Lease,
    Logged,
    NoSuchStream,
    Stale,
    True,
    Unknown,
}

/// Stage before, input, stage after, output.
pub type Row = (Stage, Input, Stage, Output);

const OPEN: [Stage; 6] =
    [AnsweredLeased, AnsweredWaiting, RunningLeased, RunningWaiting, StandaloneLeased, StandaloneWaiting];

/// Every row that is allowed. A session that is over answers as the documentation says under `close_all`.
pub fn rows() -> Vec<Row> {
    let mut rows = vec![
        (Closed, Input::Attach, StandaloneLeased, Output::Lease),
        (Closed, Input::Open, RunningLeased, Output::Lease),
        (Closed, Input::Resume, Closed, Output::Gone),
        (Closed, Input::Resume, Closed, Output::Unknown),
        (StandaloneLeased, Input::Resume, StandaloneLeased, Output::Lease),
        (StandaloneWaiting, Input::Resume, StandaloneLeased, Output::Lease),
        (RunningLeased, Input::Resume, RunningLeased, Output::Lease),
        (RunningWaiting, Input::Resume, RunningLeased, Output::Lease),
        (AnsweredLeased, Input::Resume, AnsweredLeased, Output::Lease),
        (AnsweredWaiting, Input::Resume, AnsweredLeased, Output::Lease),
        (AnsweredLeased, Input::Resume, Closed, Output::Finished),
        (AnsweredWaiting, Input::Resume, Closed, Output::Finished),
        (StandaloneLeased, Input::DetachCurrent, StandaloneWaiting, Output::True),
        (RunningLeased, Input::DetachCurrent, RunningWaiting, Output::True),
        (AnsweredLeased, Input::DetachCurrent, AnsweredWaiting, Output::True),
        (RunningLeased, Input::AppendOther, RunningLeased, Output::Logged),
        (RunningWaiting, Input::AppendOther, RunningWaiting, Output::Logged),
        (RunningLeased, Input::AppendResponse, AnsweredLeased, Output::Logged),
        (RunningWaiting, Input::AppendResponse, AnsweredWaiting, Output::Logged),
        (StandaloneLeased, Input::NextCurrent, StandaloneLeased, Output::Event),
        (StandaloneLeased, Input::NextCurrent, StandaloneLeased, Output::Idle),
        (RunningLeased, Input::NextCurrent, RunningLeased, Output::Event),
        (RunningLeased, Input::NextCurrent, RunningLeased, Output::Idle),
        (AnsweredLeased, Input::NextCurrent, AnsweredLeased, Output::Event),
        (AnsweredLeased, Input::NextCurrent, AnsweredLeased, Output::Ended),
        (StandaloneWaiting, Input::Expire, Closed, Output::Done),
        (RunningWaiting, Input::Expire, RunningWaiting, Output::Done),
        (AnsweredWaiting, Input::Expire, Closed, Output::Done),
        (Closed, Input::DetachStale, Closed, Output::False),
        (Closed, Input::NextStale, Closed, Output::Stale),
        (Closed, Input::NextStale, Closed, Output::Ended),
    ];
    for stage in OPEN {
        rows.push((stage, Input::Resume, stage, Output::Ahead));
        rows.push((stage, Input::Resume, stage, Output::Behind));
        rows.push((stage, Input::DetachStale, stage, Output::False));
        rows.push((stage, Input::NextStale, stage, Output::Stale));
        rows.push((stage, Input::CloseAll, Closed, Output::Done));
    }
    for input in [Input::AppendOther, Input::AppendResponse] {
        for stage in [Closed, StandaloneLeased, StandaloneWaiting] {
            rows.push((stage, input, stage, Output::NoSuchStream));
        }
        for stage in [AnsweredLeased, AnsweredWaiting] {
            rows.push((stage, input, stage, Output::Ended));
        }
    }
    rows
}

/// The output of `resume`.
pub fn resumed(result: &Result<Lease, ResumeError>) -> Output {
    match result {
        Ok(_) => Output::Lease,
        Err(ResumeError::Ahead) => Output::Ahead,
        Err(ResumeError::Behind) => Output::Behind,
        Err(ResumeError::Finished) => Output::Finished,
        Err(ResumeError::Gone) => Output::Gone,
        Err(ResumeError::Unknown) => Output::Unknown,
    }
}

/// The output of `next`.
pub fn found(next: &Next) -> Output {
    match next {
        Next::Event(_) => Output::Event,
        Next::Idle => Output::Idle,
        Next::Ended => Output::Ended,
        Next::Stale => Output::Stale,
    }
}
