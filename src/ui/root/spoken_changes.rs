//! What of plan and queue changed, in lines for a screen reader: each change once.

use crate::{
    model::{PlanBody, PlanEntry, PlanStatus},
    session::Session,
    text::{SafeText, first_bytes},
};

/// Bytes of a step or a prompt in a line.
const MAX_LINE: usize = 400;

/// Steps and prompts that are compared; of more no changes are said.
const MAX_COMPARED: usize = 500;

/// What was said of plan and queue.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    steps: Vec<(SafeText, PlanStatus)>,
    queue: Vec<SafeText>,
    held: bool,
}

impl Heard {
    pub fn of(session: &Session) -> Self {
        let conversation = &session.conversation;
        let named = conversation.plans.iter().flat_map(|plan| match &plan.body {
            PlanBody::Items(entries) => entries.as_slice(),
            // Those are said when they are done.
            PlanBody::Text(_) | PlanBody::Unknown { .. } => &[],
        });
        let step = |entry: &PlanEntry| (line(&entry.content), entry.status);
        let steps = conversation.plan.iter().chain(named).map(step);
        let queue = session
            .queue
            .iter()
            .map(|prompt| line(&prompt.shown_text()));
        Self {
            steps: steps.take(MAX_COMPARED).collect(),
            queue: queue.take(MAX_COMPARED).collect(),
            held: session.queue_held,
        }
    }

    /// What is to be said of the change from `before` to this.
    pub fn since(&self, before: &Self) -> Vec<String> {
        let mut lines = self.plan_since(before);
        lines.extend(self.queue_since(before));
        lines
    }

    fn plan_since(&self, before: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.steps.is_empty() || self.steps == before.steps {
            // A plan that is done is told with the conversation.
            return lines;
        }
        let done = |steps: &[(SafeText, PlanStatus)]| {
            let done = steps.iter().filter(|step| step.1 == PlanStatus::Completed);
            done.count()
        };
        let known = |text: &SafeText| before.steps.iter().find(|step| step.0 == *text);
        if !self.steps.iter().any(|step| known(&step.0).is_some()) {
            lines.push(format!("Plan, {}:", steps_in_words(self.steps.len())));
            for (at, (text, status)) in self.steps.iter().enumerate() {
                let how = match status {
                    PlanStatus::Completed => ", done",
                    PlanStatus::InProgress => ", now",
                    PlanStatus::Cancelled => ", dropped",
                    PlanStatus::Pending => "",
                };
                lines.push(format!("{}. {text}{how}", at + 1));
            }
            return lines;
        }
        let of = format!("{} of {}", done(&self.steps), self.steps.len());
        for (text, status) in &self.steps {
            let was = known(text).map(|step| step.1);
            if was == Some(*status) {
                continue;
            }
            lines.push(match (status, was) {
                (PlanStatus::Completed, _) => format!("Plan, {of} done: {text}"),
                (PlanStatus::InProgress, _) => format!("Plan, now: {text}"),
                (PlanStatus::Cancelled, _) => format!("Plan, dropped: {text}"),
                (PlanStatus::Pending, None) => format!("Plan, added: {text}"),
                (PlanStatus::Pending, Some(_)) => format!("Plan, put back: {text}"),
            });
        }
        let gone = before.steps.iter().filter(|was| {
            let stays = |step: &(SafeText, PlanStatus)| step.0 == was.0;
            !self.steps.iter().any(stays)
        });
        lines.extend(gone.map(|(text, _)| format!("Plan, taken out: {text}")));
        lines
    }

    fn queue_since(&self, before: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut left = before.queue.clone();
        for text in &self.queue {
            match left.iter().position(|was| was == text) {
                Some(at) => drop(left.remove(at)),
                None => lines.push(format!("Queued: {text}")),
            }
        }
        if !left.is_empty() {
            // Where it went is told there: with the conversation, or in the draft.
            lines.push(match self.queue.len() {
                0 => "The queue is empty.".to_owned(),
                waiting => format!("{waiting} in the queue."),
            });
        }
        if self.held && !before.held && !self.queue.is_empty() {
            lines.push("The queue waits until you send it.".to_owned());
        }
        lines
    }
}

fn steps_in_words(steps: usize) -> String {
    match steps {
        1 => "1 step".to_owned(),
        steps => format!("{steps} steps"),
    }
}

fn line(text: &str) -> SafeText {
    SafeText::line(first_bytes(text.trim(), MAX_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(of: &[(&str, PlanStatus)]) -> Heard {
        let steps = of
            .iter()
            .map(|(text, status)| (SafeText::line(text), *status));
        Heard {
            steps: steps.collect(),
            ..Heard::default()
        }
    }

    fn queue(of: &[&str], held: bool) -> Heard {
        Heard {
            queue: of.iter().map(|text| SafeText::line(text)).collect(),
            held,
            ..Heard::default()
        }
    }

    #[test]
    fn each_change_of_a_plan_is_a_line() {
        use PlanStatus::{Completed, InProgress, Pending};
        let first = steps(&[
            ("read", Completed),
            ("change", InProgress),
            ("test", Pending),
        ]);
        assert_eq!(
            first.since(&Heard::default()),
            [
                "Plan, 3 steps:",
                "1. read, done",
                "2. change, now",
                "3. test"
            ]
        );
        assert!(first.since(&first).is_empty());
        let second = steps(&[
            ("read", Completed),
            ("change", Completed),
            ("test", InProgress),
            ("tell", Pending),
        ]);
        assert_eq!(
            second.since(&first),
            [
                "Plan, 2 of 4 done: change",
                "Plan, now: test",
                "Plan, added: tell"
            ]
        );
        let third = steps(&[("read", Completed), ("test", InProgress)]);
        assert_eq!(
            third.since(&second),
            ["Plan, taken out: change", "Plan, taken out: tell"]
        );
        assert!(Heard::default().since(&third).is_empty());
    }

    #[test]
    fn each_change_of_the_queue_is_a_line() {
        let two = queue(&["one", "one"], false);
        assert_eq!(two.since(&queue(&["one"], false)), ["Queued: one"]);
        assert_eq!(queue(&["one"], false).since(&two), ["1 in the queue."]);
        assert_eq!(
            Heard::default().since(&queue(&["one"], false)),
            ["The queue is empty."]
        );
        assert_eq!(
            queue(&["one"], true).since(&queue(&["one"], false)),
            ["The queue waits until you send it."]
        );
        assert!(
            queue(&["one"], true)
                .since(&queue(&["one"], true))
                .is_empty()
        );
    }
}
