//! Algorithms for rings.

pub(crate) mod alternating_steps;
pub(crate) mod chang_roberts;
pub(crate) mod content_oblivious;
pub(crate) mod dolev_klawe_rodeh;
pub(crate) mod fokkink_pang_a;
pub(crate) mod fokkink_pang_b;
pub(crate) mod franklin;
pub(crate) mod higham_przytycka;
pub(crate) mod hirschberg_sinclair;
pub(crate) mod itai_rodeh;
pub(crate) mod lelann;
pub(crate) mod lyndon_word;
pub(crate) mod peterson;
pub(crate) mod probabilistic_franklin;
pub(crate) mod stages_with_feedback;
pub(crate) mod time_slice;
pub(crate) mod variable_speeds;

pub use alternating_steps::{AlternatingSteps, Candidate as AlternatingStepsCandidate};
pub use chang_roberts::{ChangRoberts, Token as ChangRobertsToken};
pub use content_oblivious::{ContentOblivious, Pulse as ContentObliviousPulse};
pub use dolev_klawe_rodeh::{DolevKlaweRodeh, Msg as DolevKlaweRodehMsg};
pub use fokkink_pang_a::{FokkinkPangA, Msg as FokkinkPangAMsg};
pub use fokkink_pang_b::{FokkinkPangB, Msg as FokkinkPangBMsg};
pub use franklin::{Candidate as FranklinCandidate, Franklin};
pub use higham_przytycka::{Envelope as HighamPrzytyckaEnvelope, HighamPrzytycka};
pub use hirschberg_sinclair::{HirschbergSinclair, Msg as HirschbergSinclairMsg};
pub use itai_rodeh::{ItaiRodeh, Msg as ItaiRodehMsg};
pub use lelann::{LeLann, Token as LeLannToken};
pub use lyndon_word::{LyndonWord, Msg as LyndonWordMsg};
pub use peterson::{Msg as PetersonMsg, Peterson};
pub use probabilistic_franklin::{Msg as ProbabilisticFranklinMsg, ProbabilisticFranklin};
pub use stages_with_feedback::{Msg as StagesWithFeedbackMsg, StagesWithFeedback};
pub use time_slice::{Msg as TimeSliceMsg, TimeSlice};
pub use variable_speeds::{Token as VariableSpeedsToken, VariableSpeeds};
