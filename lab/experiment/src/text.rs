//! Values by their texts, and fields with several values.

use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

/// Has types read and written by serde as their texts, which flags have, too.
macro_rules! textual {
    ($($type:ty),* $(,)?) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::text::read(from)
            }
        }
    )*};
}
pub(crate) use textual;

/// Defines a set of names, each with its description. The first is the default.
macro_rules! names {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $each:literal])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $each])* $variant),* }

        impl $name {
            /// All values, each with its description.
            pub const ALL: &[(Self, &str)] = &[$((Self::$variant, concat!($($each),*))),*];

            /// The name in flags and files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|(value, _)| value.name() == text);
                found.map(|(value, _)| *value).ok_or_else(|| {
                    let names: Vec<_> = Self::ALL.iter().map(|(value, _)| value.name()).collect();
                    format!("`{}` is none of {}", text.escape_debug(), names.join(", "))
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0].0
            }
        }

        $crate::text::textual!($name);
    };
}
pub(crate) use names;

/// Reads a value from its text. A number is read as its digits: `initiators = 3` is `initiators = "3"`.
pub(crate) fn read<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    struct TextVisitor<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for TextVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a number")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }
    }
    from.deserialize_any(TextVisitor(PhantomData))
}

/// Fields that may be left out, and whose values are texts.
pub(crate) mod optional {
    use super::{Deserializer, Display, FromStr, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        super::read(from).map(Some)
    }
}

/// Fields whose values are texts.
pub(crate) mod single {
    use super::{Deserializer, Display, FromStr, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        super::read(from)
    }
}

/// Fields whose values are lists of texts.
pub(crate) mod several {
    use super::{Deserialize, Deserializer, Display, FromStr, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
    }
}

/// Seeds and counts of 64 bits. TOML has integers of 63 bits, so larger ones are written as texts.
pub(crate) mod wide {
    use super::{Deserializer, Serializer};
    use suffrage_networks::parse_count;

    /// A number that is read as flags read it.
    struct WholeNumber(u64);

    impl std::str::FromStr for WholeNumber {
        type Err = suffrage_networks::CountError;

        fn from_str(text: &str) -> Result<Self, Self::Err> {
            parse_count(text).map(Self)
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
    pub(crate) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(*number) {
            Ok(number) => to.serialize_i64(number),
            Err(_) => to.collect_str(number),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        super::read(from).map(|WholeNumber(number)| number)
    }

    /// The same of a field that may be left out.
    pub(crate) mod optional {
        use super::{Deserializer, Serializer, WholeNumber};

        #[expect(clippy::ref_option, reason = "the form that serde asks for")]
        pub(crate) fn serialize<S: Serializer>(
            number: &Option<u64>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            match number {
                Some(number) => super::serialize(number, to),
                None => to.serialize_none(),
            }
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<u64>, D::Error> {
            crate::text::read(from).map(|WholeNumber(number)| Some(number))
        }
    }
}

/// The values of a field that a sweep varies. One is written by itself, several as a list; without
/// any, the field is left out.
///
/// ```
/// use suffrage_experiment::Several;
///
/// #[derive(serde::Deserialize)]
/// struct Fields {
///     ids: Several<String>,
///     nodes: Several<u32>,
/// }
/// let fields: Fields = toml_edit::de::from_str("ids = 'random'\nnodes = [10, 100]")?;
/// assert_eq!((fields.ids.0.len(), fields.nodes.0), (1, vec![10, 100]));
/// # Ok::<(), toml_edit::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several<T>(pub Vec<T>);

impl<T> Several<T> {
    /// One value.
    #[must_use]
    pub fn one(value: T) -> Self {
        Self(vec![value])
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Several<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<T> for Several<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Several<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(to),
            all => all.serialize(to),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Several<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Values<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Values<T> {
            fn one<E: de::Error>(from: impl Deserializer<'de, Error = E>) -> Result<Several<T>, E> {
                T::deserialize(from).map(Several::one)
            }
        }

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = Several<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or a list of values")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Several<T>, A::Error> {
                let mut all = Vec::new();
                while let Some(value) = values.next_element()? {
                    all.push(value);
                }
                Ok(Several(all))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Several<T>, E> {
                Self::one(StrDeserializer::new(text))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Several<T>, E> {
                Self::one(StringDeserializer::new(text))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Several<T>, E> {
                Self::one(number.into_deserializer())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Several<T>, E> {
                Self::one(number.into_deserializer())
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Several<T>, E> {
                Self::one(number.into_deserializer())
            }
        }
        from.deserialize_any(Values(PhantomData))
    }
}
