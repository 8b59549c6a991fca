//! What the client hears, for the steps to wait for.

use std::sync::Mutex;

use serde_json::Value;
use tokio::sync::watch;

/// What arrived, and whoever waits for more of it.
pub struct Heard(watch::Sender<Vec<Value>>);

impl Default for Heard {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Heard {
    pub fn push(&self, item: Value) {
        self.0.send_modify(|items| items.push(item));
    }

    /// Waits until `count` items have arrived, and gives all there are.
    pub async fn until(&self, count: usize) -> Vec<Value> {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as this borrow.
        receiver.wait_for(|items| items.len() >= count).await.map(|items| items.clone()).unwrap_or_default()
    }
}

/// Everything that the server says without being asked, or asks.
#[derive(Default)]
pub struct Everything {
    pub updated: Heard,
    pub changed: Heard,
    pub notes: Heard,
    pub messages: Heard,
    pub questions: Mutex<Vec<Value>>,
    pub prompts: Mutex<Vec<Value>>,
}

impl Everything {
    /// Remembers a question; how many were asked before it.
    pub fn ask(questions: &Mutex<Vec<Value>>, question: Value) -> usize {
        let mut questions = questions.lock().expect("nobody panics with the questions in hand");
        questions.push(question);
        questions.len() - 1
    }

    pub fn asked(questions: &Mutex<Vec<Value>>) -> Vec<Value> {
        questions.lock().expect("nobody panics with the questions in hand").clone()
    }
}
