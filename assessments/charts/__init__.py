"""Figures as SVG: result/1 in, safe markup out, in the cuts of page (wide, narrow) and PDF (print)."""

from assessments.charts.hatches import ORDER as PART_ORDER
from assessments.charts.hatches import swatch
from assessments.charts.memory import Bar, comparison, draw_bars, memory_bars
from assessments.charts.rack import gauge_codes, rack_elevation, rack_gauge
from assessments.charts.ranges import dimension, narrowing
from assessments.charts.time import time_curve

__all__ = [
    "PART_ORDER",
    "Bar",
    "comparison",
    "dimension",
    "draw_bars",
    "gauge_codes",
    "memory_bars",
    "narrowing",
    "rack_elevation",
    "rack_gauge",
    "swatch",
    "time_curve",
]
