"""Steps a simulation in a loop: observe, act, as an agent that learns does. It needs nothing but Python 3.9.

    GRID_TOKEN=... python3 examples/grid/step_loop.py [URL] [SECONDS]

The disturbance opens two lines. The agent sees what the control room sees and closes one line a second; the reward is
the load that is served less a penalty for each open line. Exit code 0 when every line is closed again.
"""

import json
import os
import sys
import urllib.error
import urllib.request


class Grid:
    """A simulation with the calls that trainers of agents know: reset and step."""

    def __init__(self, url, token, name="loop"):
        self.url, self.token, self.name = url, token, name
        self.ask("POST", "/api/v1/simulations", {"name": name}, allowed=(409,))
        self.base = f"/simulations/{name}/api/v1"

    def ask(self, method, path, body=None, allowed=()):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode()
            if refusal.code in allowed:
                return json.loads(text)
            raise SystemExit(f"{method} {path} was answered {refusal.code}: {text}") from None

    def reset(self, seed, disturbance):
        """Begins a session whose clock only `step` moves; the same seed gives the same session."""
        session = {"case": "case14", "seed": seed, "start_time": 1764000000, "restoration": "operator"}
        self.ask("POST", f"{self.base}/sim/config", session)
        self.ask("POST", f"{self.base}/sim/stop")
        grid = self.ask("GET", f"{self.base}/topology")["grid"]
        self.breakers = {str(one["branch"]): one["id"] for one in grid["breakers"]}
        for breaker in disturbance:
            self.ask("POST", f"{self.base}/grid/breaker", {"breaker": breaker, "closed": False})
        return self.step([])

    def step(self, actions):
        """Carries out orders of breakers, computes a second, and gives observation, reward and whether it is done."""
        for breaker in actions:
            self.ask("POST", f"{self.base}/grid/breaker", {"breaker": breaker, "closed": True}, allowed=(409,))
        self.ask("POST", f"{self.base}/sim/step", {"steps": 10})
        view = self.ask("GET", f"{self.base}/grid/view")
        closed, truth = view["measured"]["closed"], view["truth"]
        reports = {self.breakers[branch]: is_closed for branch, is_closed in closed.items()}
        observation = {"open": sorted(name for name, is_closed in reports.items() if not is_closed)}
        reward = round(truth["served_mw"] / truth["load_mw"] - 0.1 * truth["open_breakers"], 6)
        return observation, reward, truth["open_breakers"] == 0


def choose(observation):
    """The policy: the first line that is reported open."""
    return observation["open"][:1]


def main(url="http://127.0.0.1:8080", seconds="30"):
    grid = Grid(url, os.environ.get("GRID_TOKEN", ""))
    observation, reward, done = grid.reset(7, ["CB-2-3", "CB-6-13"])
    for second in range(int(seconds)):
        actions = choose(observation)
        observation, reward, done = grid.step(actions)
        print(json.dumps({"second": second + 1, "closed": actions, "reward": reward, "done": done}), flush=True)
        if done:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
