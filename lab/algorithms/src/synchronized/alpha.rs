//! The algorithms in rounds, each run without rounds by the synchronizer α, as rows: `NAME@alpha`.

use crate::prelude::*;

/// Creates for each algorithm its header and its form under the synchronizer.
macro_rules! under_alpha {
    ($($header:ident, $form:ident, $name:literal: $folder:ident::$file:ident;)*) => {$(
        pub(crate) const $header: AlgorithmHeader = AlgorithmHeader {
            name: $name,
            invariants: &[],
            ..crate::$folder::$file::HEADER
        };
        pub(crate) const $form: Form = Form {
            kind: FormKind::Variant,
            difference: "needs no rounds: its messages travel under the synchronizer α of B. Awerbuch, \
                         \"Complexity of network synchronization\", Journal of the ACM 32(4), 1985",
            shown_by: concat!("suffrage elect ", $name, " --schedule random"),
            breaks: None,
            printed: "",
            explained: "",
        };
    )*};
}

under_alpha! {
    AFEK_GAFNI_A, AFEK_GAFNI_A_FORM, "afek-gafni-a@alpha": complete::afek_gafni_a;
    TIME_SLICE, TIME_SLICE_FORM, "time-slice@alpha": ring::time_slice;
    VARIABLE_SPEEDS, VARIABLE_SPEEDS_FORM, "variable-speeds@alpha": ring::variable_speeds;
    FLOOD_MAX, FLOOD_MAX_FORM, "flood-max@alpha": graph::flood_max;
    LEAST_ELEMENT_LISTS, LEAST_ELEMENT_LISTS_FORM, "least-element-lists@alpha": graph::least_element_lists;
    RANDOM_REFEREES, RANDOM_REFEREES_FORM, "random-referees@alpha": complete::random_referees;
}
