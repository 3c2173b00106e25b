"""Processor time of power flows by lightsim2grid, from PyPI: prints {case: {flat, warm}} in milliseconds."""

import json
import sys
import time
import warnings

import numpy
import pandapower
import pandapower.networks
from lightsim2grid.network import init_from_pandapower

RUNS = 2_000
TOLERANCE = 1e-8


def measure(solve):
    """Milliseconds of processor time of one call."""
    for turn in range(RUNS // 10):
        solve(turn)
    begin = time.process_time()
    for turn in range(RUNS):
        if solve(turn).size == 0:
            raise RuntimeError("Cannot measure: the power flow does not converge")
    return (time.process_time() - begin) / RUNS * 1_000


def measure_case(name):
    """Flat starts, and starts from the solution of the other one of two loads, as the bench takes them."""
    network = getattr(pandapower.networks, name)()
    pandapower.runpp(network)
    model = init_from_pandapower(network)
    active, reactive = (numpy.array([load, load * 1.003], dtype=numpy.float32) for load in (network.load.p_mw, network.load.q_mvar))
    changed = numpy.ones(active.shape[1], dtype=bool)
    flat = numpy.ones(len(network.bus), dtype=complex)

    def solve_flat(_turn):
        return model.ac_pf(flat, 10, TOLERANCE)

    latest = [solve_flat(0)]

    def solve_warm(turn):
        model.update_loads_p(changed, active[turn % 2])
        model.update_loads_q(changed, reactive[turn % 2])
        latest[0] = model.ac_pf(latest[0], 10, TOLERANCE)
        return latest[0]

    return {"flat": measure(solve_flat), "warm": measure(solve_warm)}


warnings.simplefilter("ignore")
print(json.dumps({name: measure_case(name) for name in sys.argv[1:]}))
