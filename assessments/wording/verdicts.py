"""The class of answer in one sentence: title, what, what to do."""

from django.utils.translation import gettext_lazy as _

from assessments.wording.text import Text

VERDICTS: dict[str, Text] = {
    # Verdict: the class of answer
    "verdict_cpu": Text(
        _("A CPU is enough"),
        _("The task will not load a GPU: a cycle takes %(time)s on a CPU."),
        _("No GPU server is needed."),
    ),
    "verdict_workstation": Text(
        _("A workstation is enough"),
        _("%(n_gpus)s with %(memory)s, a cycle of %(time)s."),
        _("Take a server if teams will share it."),
    ),
    "verdict_server": Text(
        _("One server is enough"),
        _("%(n_gpus)s, a cycle of %(time)s; option %(option)s meets the wanted time."),
        _("Check the rack limits below."),
    ),
    "verdict_servers": Text(
        _("Several servers are needed"),
        _("%(n_servers)s, %(n_gpus)s in all: one falls short on %(limit)s."),
        _("A fabric between them is required."),
    ),
    "verdict_cluster": Text(
        _("A cluster is needed"),
        _("%(n_gpus)s; fabric, storage and cooling are designed separately."),
        _("Use the assessment as the design brief."),
    ),
    "verdict_rent": Text(
        _("Renting makes more sense"),
        _("%(gpu_hours)s per quarter: own hardware would be %(share)s busy."),
        _("Buy if runs become frequent."),
    ),
    "verdict_inference": Text(
        _("This is not training"),
        _("Serving a ready model is sized otherwise: weights, activations, KV cache."),
        _("Ask for an inference sizing."),
    ),
    "verdict_infeasible": Text(
        _("These answers cannot be met"),
        _("%(need)s needed, the limit is %(limit)s."),
        _("Change one thing: %(repair)s."),
    ),
    "verdict_existing": Text(
        _("Your hardware will do"),
        _("%(hardware)s: memory %(memory)s, a cycle of %(time)s."),
        _("Nothing new is needed."),
    ),
    "verdict_existing_starves": Text(
        _("Your hardware will do, but the GPUs will wait"),
        _("%(hardware)s: GPUs wait %(stall)s of the time for %(resource)s."),
        _("Strengthen that link, keep the GPUs."),
    ),
}
