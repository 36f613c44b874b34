//! Subjects of the checker: an algorithm, or a process with a specification of your own.

use crate::{
    family::Family,
    instance::{Instance, InvalidInstance},
    model::TransitionSystem,
    specification::{Properties, Specification},
};
use std::ops::Deref;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed, Claims, Custom, Property};
use suffrage_model::{Place, Process};

/// A subject of a [`Checker`](crate::Checker) or a [`Sampler`](crate::Sampler): an [`Algorithm`] of the catalogue, a
/// [`Custom`] one, or a process with a [`Specification`].
pub trait Checkable: Specified {
    /// Returns the family whose instances a [`Checker`](crate::Checker) explores and numbers: the same
    /// one, in which [nodes differ](Family::nodes_differ) if processes know their places or properties
    /// may name nodes.
    ///
    /// # Errors
    /// If the instances of the family are invalid, or not for the algorithm.
    fn tell_apart(&self, family: &Family) -> Result<Family, InvalidInstance> {
        tell_apart(&*self.specified(&[], true), family)
    }
}

impl<S: Specified> Checkable for S {}

/// A subject whose properties may be chosen: an algorithm, or a process of your own. A
/// [`Specification`] names its properties itself.
pub trait Claiming: Checkable {}

impl Claiming for Algorithm {}
impl<P: Process> Claiming for Custom<P> {}

mod private {
    use super::{Property, SpecifiedProperties};

    /// The private part of [`Checkable`](super::Checkable).
    pub trait Specified: Sync {
        /// Returns the specification to check: these properties. If there are none, all that are claimed,
        /// or safety alone if faults are allowed.
        #[expect(private_interfaces, reason = "only this crate calls it")]
        fn specified(&self, properties: &[Property], faultless: bool) -> SpecifiedProperties<'_>;
    }
}

pub(crate) use private::Specified;

/// The user's specification, or one that was made for an algorithm.
pub(crate) enum SpecifiedProperties<'a> {
    Given(&'a dyn Properties),
    Made(Box<dyn Properties>),
}

impl<'a> Deref for SpecifiedProperties<'a> {
    type Target = dyn Properties + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Given(specification) => *specification,
            Self::Made(specification) => &**specification,
        }
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process> Specified for Specification<'_, P> {
    fn specified(&self, _: &[Property], _: bool) -> SpecifiedProperties<'_> {
        SpecifiedProperties::Given(self)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process> Specified for Custom<P> {
    fn specified(&self, properties: &[Property], faultless: bool) -> SpecifiedProperties<'_> {
        let specification = specification::<P>(self.claims(), properties, faultless);
        SpecifiedProperties::Made(Box::new(specification))
    }
}

/// Its invariants are among the properties.
#[expect(private_interfaces, reason = "only this crate calls it")]
impl Specified for Algorithm {
    fn specified(&self, properties: &[Property], faultless: bool) -> SpecifiedProperties<'_> {
        struct Specify<'a>(&'a Claims, &'a [Property], bool);
        impl AlgorithmVisitor for Specify<'_> {
            type Output = Box<dyn Properties>;
            fn visit<P: Claimed>(self) -> Self::Output {
                let Self(claims, properties, faultless) = self;
                let mut invariants = P::invariants();
                if !(properties.is_empty() && faultless) {
                    invariants.retain(|of| properties.contains(&Property::Invariant(of.name())));
                }
                let specification = specification::<P>(Some(claims), properties, faultless);
                Box::new(specification.invariants(invariants))
            }
        }
        SpecifiedProperties::Made(self.visit(Specify(&self.claims, properties, faultless)))
    }
}

fn specification<P: Process>(
    claims: Option<&Claims>,
    properties: &[Property],
    faultless: bool,
) -> Specification<'static, P> {
    let required = match (properties, faultless, claims) {
        ([], true, Some(claims)) => Specification::of(claims),
        ([], true, None) => Specification::election(),
        ([], false, _) => Specification::safety(),
        (properties, ..) => Specification::these(properties),
    };
    match claims {
        Some(claims) => required.about(claims),
        None => required,
    }
}

pub(crate) fn tell_apart(
    specification: &dyn Properties,
    family: &Family,
) -> Result<Family, InvalidInstance> {
    if family.is_empty() {
        return Ok(family.clone());
    }
    let first = family.get(0);
    first.check(specification.network(), specification.timing())?;
    Ok(family.told_apart(specification.has_own() || knows_places(specification, &first)))
}

fn knows_places(specification: &dyn Properties, instance: &Instance) -> bool {
    let mut automaton = specification.automaton();
    let model = TransitionSystem::new(instance);
    let facts = model.facts(&automaton);
    (0..model.nodes()).any(|node| {
        let mut starts =
            |place: usize| model.start(node, Place(place as u32), &facts, &mut automaton);
        let here = starts(node);
        (0..model.nodes()).any(|place| starts(place) != here)
    })
}
