"""The class of answer and what to advise: CPU, workstation, server, several, cluster, rent, existing hardware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assessments.sizing.choose import Field
from assessments.sizing.defaults import default
from assessments.sizing.machines import SWITCHED, Machine
from assessments.sizing.options import Option
from assessments.sizing.quantity import rounded

CLUSTER_FROM_SERVERS = 33
WORKSTATION_MOST = 4
QUARTERS = 4
CODE_OF_CLASS = {
    "workstation": "verdict_workstation",
    "one_server": "verdict_server",
    "several_servers": "verdict_servers",
    "cluster": "verdict_cluster",
}


def class_of(machine: Machine) -> str:
    """workstation: up to four cards without a switched link; one server; 2 to 32 servers; cluster."""
    if machine.servers >= CLUSTER_FROM_SERVERS:
        return "cluster"
    if machine.servers > 1:
        return "several_servers"
    small = machine.gpus <= WORKSTATION_MOST and machine.link not in SWITCHED
    return "workstation" if small else "one_server"


def verdict_of(options: Sequence[Option], given: Sequence[Option], field: Field | None) -> dict[str, Any] | None:
    """The verdict where something fits; None when nothing does."""
    own = _existing(given)
    if own is not None:
        return own
    if not options or field is None:
        return None
    main = next((option for option in options if "balanced" in option.keys), options[0])
    answer = class_of(main.machine)
    time, memory = main.value("time.cycle"), main.value("memory.capacity").typical
    params: dict[str, Any] = {"n_gpus": main.machine.gpus}
    if answer == "workstation":
        params |= {"memory": memory, "time": list(time)}
    elif answer == "one_server":
        params |= {"time": list(time), "option": main.key}
    elif answer == "several_servers":
        params |= {"n_servers": main.machine.servers, "limit": _limit_of_one(field)}
    beside = _rent(main)
    advice = ["rent"] if beside else []
    if answer == "cluster":
        advice.append("cluster_design")
    return {
        "class": answer,
        "advice": advice,
        "code": CODE_OF_CLASS[answer],
        "params": _plain(params),
        "beside": beside,
    }


def _existing(given: Sequence[Option]) -> dict[str, Any] | None:
    owned = [option for option in given if option.given is not None and option.given.is_owned]
    for option in sorted(owned, key=lambda row: row.value("time.cycle").typical):
        cycle, latest = option.value("time.cycle"), option.value("time.latest").typical
        fits = {resource.code: resource.fit for resource in option.resources}
        if fits["memory"] == "does_not_fit" or fits["ram"] == "does_not_fit" or cycle.typical > latest:
            continue
        stall = option.value("time.data_stall").typical
        starves = stall > 0.1
        machine = option.machine
        hardware = f"{machine.gpus} × {machine.accelerator.name or machine.accelerator.slug}"
        if starves:
            resource = "cpu_cores" if fits.get("cpu_cores") == "at_limit" else "storage_read"
            params: dict[str, Any] = {"hardware": hardware, "stall": stall, "resource": resource}
        else:
            params = {"hardware": hardware, "memory": list(option.value("memory.total")), "time": list(cycle)}
        return {
            "class": class_of(machine),
            "advice": ["own_hardware_enough", "no_purchase"],
            "code": "verdict_existing_starves" if starves else "verdict_existing",
            "params": _plain(params),
            "beside": [],
        }
    return None


def _rent(option: Option) -> list[dict[str, Any]]:
    """Rent beside the class when a year uses the machine under 5 %."""
    share = option.value("use.utilisation").typical
    if share >= default("rent.busy_share").typical:
        return []
    hours = option.value("use.gpu_hours_quarter").typical
    return [{"code": "verdict_rent", "params": _plain({"gpu_hours": hours, "share": share})}]


def _limit_of_one(field: Field) -> str:
    """What keeps the task from one server: memory where none fits, power where the rack takes none, else time."""
    single = [i for i, machine in enumerate(field.machines) if machine.servers == 1]
    if not any(field.fits[i] for i in single):
        return "memory"
    if not any(field.fits[i] and field.rack[i] for i in single):
        return "power"
    return "time"


def inference_verdict() -> dict[str, Any]:
    """Serving a ready model is another sizing."""
    return {
        "class": "inference_only",
        "advice": ["no_purchase"],
        "code": "verdict_inference",
        "params": {},
        "beside": [],
    }


def cpu_verdict(hours: Sequence[float]) -> dict[str, Any]:
    """The task does not load a GPU."""
    return {
        "class": "cpu",
        "advice": ["no_purchase"],
        "code": "verdict_cpu",
        "params": _plain({"time": list(hours)}),
        "beside": [],
    }


def infeasible_verdict(
    need: dict[str, Any], limit: dict[str, Any], repair: dict[str, Any] | None, machine: Machine | None
) -> dict[str, Any]:
    """No option holds; need and limit carry their units."""
    answer = "cluster" if machine is None else class_of(machine)
    return {
        "class": answer,
        "advice": ["cluster_design"] if answer == "cluster" else [],
        "code": "verdict_infeasible",
        "params": {"need": _plain(need), "limit": _plain(limit), "repair": None if repair is None else _plain(repair)},
        "beside": [],
    }


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float):
            return rounded(float(value))
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value]

    return {key: plain(value) for key, value in params.items()}
