"""What is found about horizon, catalog and the quality of data: title, what, what to do."""

from django.utils.translation import gettext_lazy as _

from assessments.wording.text import Text

CONTEXT: dict[str, Text] = {
    # Horizon
    "growth_slots": Text(
        _("No slot left for more GPUs"),
        _("Slots are full; %(n_gpus)s will be needed in %(when)s."),
        _("Take option %(option)s or a second server."),
    ),
    "growth_rack": Text(
        _("Growth will hit the rack"),
        _("%(need)s in %(when)s, the rack gives %(have)s."),
        _("Provide power and cooling now."),
    ),
    "operation_service": Text(
        _("External customers need redundancy"),
        _("A single server stops the whole service."),
        _("Plan a second node, isolation and support."),
    ),
    "team_size": Text(
        _("The system needs a team"),
        _("Usual at this scale: %(n_people)s."),
        "",
    ),
    # Catalog match
    "match_fits": Text(
        _("The catalog has a fitting server"),
        _("%(server)s meets every requirement."),
        "",
    ),
    "match_near": Text(
        _("A near miss"),
        _("%(server)s fails one thing. %(requirement)s: %(need)s needed, %(have)s offered."),
        _("Change the condition or the server."),
    ),
    "match_unknown": Text(
        _("The data sheet is silent"),
        _("%(server)s: not stated: %(fields)s."),
        _("Ask the vendor."),
    ),
    "match_none": Text(
        _("Nothing in the catalog fits"),
        _("%(server)s comes closest; it fails: %(requirements)s."),
        _("Relax a condition or leave the option without a model."),
    ),
    "match_unfit_chosen": Text(
        _("A server chosen despite a misfit"),
        _("%(server)s fails: %(requirements)s. The engineer’s reason: %(reason)s."),
        _("Allow for it when buying."),
    ),
    # Data quality and calibration
    "assumed_values": Text(
        _("Some answers are assumed"),
        _("%(n_assumptions)s, the strongest is %(unknown)s."),
        _("Start with that one."),
    ),
    "assumed_tokens": Text(
        _("Tokens are taken from the volume of files"),
        _("%(tokens)s; the exact number narrows the time by %(gain)s."),
        _("Run the tokenizer on one per cent of the dataset."),
    ),
    "assumed_shape": Text(
        _("The model’s shape is borrowed"),
        _("Only the parameter count is known; layers and width follow %(model)s."),
        _("Attach the config.json."),
    ),
    "assumed_model_type": Text(
        _("The model type is new to us"),
        _("“%(type)s” is treated as %(family)s."),
        _("Check the count: %(params)s."),
    ),
    "value_pinned": Text(
        _("A value set by the engineer"),
        _("%(quantity)s: %(value)s instead of %(computed)s; reason: %(reason)s."),
        "",
    ),
    "measurement_used": Text(
        _("Your measurement is used"),
        _("The range narrowed: %(after)s instead of %(before)s."),
        "",
    ),
    "outside_calibration": Text(
        _("Few published data"),
        _("No close measurements for: %(why)s; the range is wider."),
        _("Do a trial run of 100 steps."),
    ),
    "method_not_calibrated": Text(
        _("The method is a first approximation"),
        _("%(method)s: not checked against measurements."),
        _("Measure a step before choosing a platform."),
    ),
}
