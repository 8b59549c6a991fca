//! The table of the outbox's documentation, as data.

use hermes_proto::outbox::Stage::{
    AnsweredLeased, AnsweredWaiting, Closed, RunningLeased, RunningWaiting, StandaloneLeased,
    StandaloneWaiting,
};
use hermes_proto::outbox::{Appended, Lease, Next, Related, ResumeError, Stage};

/// What is asked of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    Abandon,
    AppendNote,
    AppendRequest,
    AppendResponse,
    Attach,
    CloseAll,
    DetachCurrent,
    DetachStale,
    Expire,
    Finish,
    HangUp,
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
    Dropped,
    Ended,
    Event,
    False,
    Finished,
    Full,
    Gap,
    Gone,
    HangUp,
    Idle,
    Lease,
    Logged,
    NoSuchStream,
    Nothing,
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
        (AnsweredLeased, Input::DetachCurrent, Closed, Output::True),
        (StandaloneLeased, Input::HangUp, StandaloneLeased, Output::True),
        (RunningLeased, Input::HangUp, RunningLeased, Output::True),
        (AnsweredLeased, Input::HangUp, AnsweredLeased, Output::True),
        (RunningLeased, Input::AppendResponse, AnsweredLeased, Output::Logged),
        (RunningWaiting, Input::AppendResponse, AnsweredWaiting, Output::Logged),
        (StandaloneLeased, Input::NextCurrent, StandaloneLeased, Output::Event),
        (StandaloneLeased, Input::NextCurrent, StandaloneLeased, Output::HangUp),
        (StandaloneLeased, Input::NextCurrent, StandaloneLeased, Output::Idle),
        (RunningLeased, Input::NextCurrent, RunningLeased, Output::Event),
        (RunningLeased, Input::NextCurrent, RunningLeased, Output::HangUp),
        (RunningLeased, Input::NextCurrent, RunningLeased, Output::Idle),
        (AnsweredLeased, Input::NextCurrent, AnsweredLeased, Output::Event),
        (AnsweredLeased, Input::NextCurrent, AnsweredLeased, Output::Ended),
        (Closed, Input::NextCurrent, Closed, Output::Ended),
        (Closed, Input::DetachCurrent, Closed, Output::True),
        (RunningLeased, Input::Abandon, Closed, Output::Done),
        (RunningWaiting, Input::Abandon, Closed, Output::Done),
        (AnsweredLeased, Input::Finish, Closed, Output::True),
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
    for stage in [StandaloneLeased, RunningLeased, AnsweredLeased] {
        rows.push((stage, Input::NextCurrent, stage, Output::Gap));
    }
    for stage in [Closed, StandaloneWaiting, RunningWaiting, AnsweredWaiting] {
        rows.push((stage, Input::HangUp, stage, Output::False));
    }
    for stage in OPEN.into_iter().chain([Closed]) {
        rows.push((stage, Input::Finish, stage, Output::False));
        if !matches!(stage, RunningLeased | RunningWaiting) {
            rows.push((stage, Input::Abandon, stage, Output::Nothing));
        }
    }
    for stage in [RunningLeased, RunningWaiting] {
        rows.push((stage, Input::AppendNote, stage, Output::Dropped));
        rows.push((stage, Input::AppendNote, stage, Output::Logged));
        rows.push((stage, Input::AppendRequest, stage, Output::Full));
        rows.push((stage, Input::AppendRequest, stage, Output::Logged));
    }
    for input in [Input::AppendNote, Input::AppendRequest, Input::AppendResponse] {
        for stage in [Closed, StandaloneLeased, StandaloneWaiting] {
            rows.push((stage, input, stage, Output::NoSuchStream));
        }
        for stage in [AnsweredLeased, AnsweredWaiting] {
            rows.push((stage, input, stage, Output::Ended));
        }
    }
    rows
}

/// What `append` is asked.
pub fn appends(class: Related) -> Input {
    match class {
        Related::Note => Input::AppendNote,
        Related::Request(_) => Input::AppendRequest,
        Related::Response => Input::AppendResponse,
    }
}

/// The output of `append`.
pub fn appended(result: &Appended) -> Output {
    match result {
        Appended::Dropped => Output::Dropped,
        Appended::Ended => Output::Ended,
        Appended::Full => Output::Full,
        Appended::Logged(_) => Output::Logged,
        Appended::NoSuchStream => Output::NoSuchStream,
    }
}

/// The output of a call that says whether it did anything.
pub fn done(result: &bool) -> Output {
    if *result { Output::True } else { Output::False }
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
        Next::Ended => Output::Ended,
        Next::Event(_) => Output::Event,
        Next::Gap(_) => Output::Gap,
        Next::HangUp => Output::HangUp,
        Next::Idle => Output::Idle,
        Next::Stale => Output::Stale,
    }
}
