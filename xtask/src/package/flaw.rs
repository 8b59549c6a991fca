//! Rules of the container file that it may break.

/// A rule that the container file breaks; where one line does, with that line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It is made from another image.
    #[error("`{0}`: it is made from scratch, with the program alone")]
    Base(String),
    /// Something else is copied than one file to a place of its own.
    #[error("`{0}`: one file, to a place from the root")]
    Copy(String),
    /// A file is copied that is not there.
    #[error("COPY {0}: only the program is there to be copied")]
    Stranger(String),
    /// A variable has no value.
    #[error("`{0}`: NAME=VALUE")]
    Variable(String),
    /// A command is written for a shell.
    #[error("`{0}`: write the command as a JSON array, as the image has no shell")]
    Shell(String),
    /// An instruction that images of one program have no use for.
    #[error("`{0}`: an image of one program does not need that")]
    Needless(String),
    /// The user is root, or has a name.
    #[error("USER: two numbers, neither of them root's, as the image has no names")]
    User,
    /// The port is not the one that is served.
    #[error("EXPOSE: the port of HERMES_HTTP")]
    Port,
    /// Nothing tells whether it is well.
    #[error("HEALTHCHECK: there has to be one, with a command")]
    NoHealth,
    /// Nothing is started.
    #[error("ENTRYPOINT: there has to be one")]
    NoStart,
}
