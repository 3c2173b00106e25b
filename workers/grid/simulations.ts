/** The simulations of a deployment by name: listed, created, deleted, and found before a request reaches them. */

import { GridError } from '#grid/errors.ts'
import { formatGridMetrics } from '#grid/interface/metrics.ts'
import { bodyLimits, maximumSimulations } from '#grid/interface/request-bounds.ts'
import { parseSimulation } from '#grid/interface/requests.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { type Call, openDirectory, unwrap } from './call.ts'
import { requireJson } from './json-body.ts'
import { withNetwork } from './networks.ts'
import { baseOf, defaultName, lastWordOf } from './paths.ts'
import { json } from './problems.ts'

/** Checks that a simulation of this name exists, for callers without a token; creates nothing. */
export async function isKnown(env: GridEnv, name: string): Promise<boolean> {
  return name === defaultName || (await openDirectory(env).has(name))
}

/** The names of all simulations, the default one first. */
export async function simulationNames(env: GridEnv): Promise<readonly string[]> {
  return [defaultName, ...(await openDirectory(env).list()).map(({ name }) => name)]
}

/** Writes the metrics of every simulation without waking any. */
export async function collectMetrics(env: GridEnv): Promise<string> {
  const names = await simulationNames(env)
  const measure = async (name: string) => ({ name, metrics: await env.SIMULATION.getByName(name).metrics() })
  return formatGridMetrics(await Promise.all(names.map(measure)))
}

/**
 * Checks that a simulation exists; the hint, which names the nearest one that does, is for callers with a token.
 *
 * @throws GridError not_found when it does not.
 */
export async function requireSimulation(
  env: GridEnv,
  name: string,
  { withHint }: { readonly withHint: boolean },
): Promise<void> {
  if (await isKnown(env, name)) return
  const options = withHint ? { hint: await hintFor(env, name) } : {}
  throw new GridError('not_found', `Not found: there is no simulation "${name}"`, options)
}

/**
 * Adds the name of a simulation whose session is about to begin, unless a deployment has as many as it may.
 *
 * @throws GridError too_many when there are as many as a deployment may have.
 */
export async function addSimulation({ env, name }: Pick<Call, 'env' | 'name'>): Promise<void> {
  if (await isKnown(env, name)) return
  unwrap(await openDirectory(env).add(name))
}

async function hintFor(env: GridEnv, name: string): Promise<string> {
  const near = await openDirectory(env).nearest(name)
  const meant = near === undefined ? '' : `Did you mean "${near}"? `
  return `${meant}GET /api/v1/simulations lists them; POST /api/v1/simulations {"name": "${name}"} creates one`
}

/** `GET /simulations`: every simulation, the default one first. */
export async function listSimulations({ env }: Call): Promise<Response> {
  const named = (await openDirectory(env).list()).map(({ name, createdMs }) => ({
    name,
    created: createdMs / 1000,
    base: baseOf(name),
  }))
  const simulations = [{ name: defaultName, base: baseOf(defaultName) }, ...named]
  return json({ count: simulations.length, maximum: maximumSimulations + 1, simulations })
}

/** `POST /simulations {name, configuration?}`: creates one; one that exists stays as it is and is 409. */
export async function createSimulation({ env, request }: Call): Promise<Response> {
  const body = await requireJson(request, bodyLimits.control)
  const { name, configuration } = parseSimulation(body)
  const directory = openDirectory(env)
  if (await isKnown(env, name)) throw alreadyExists(name)
  const change = await withNetwork(env, configuration)
  // Of two requests at once only one adds the name, and only its configuration counts.
  if (!unwrap(await directory.add(name))) throw alreadyExists(name)
  unwrap(await env.SIMULATION.getByName(name).create(change))
  return json({ name, base: baseOf(name) })
}

function alreadyExists(name: string): GridError {
  return new GridError('out_of_order', `Cannot create simulation "${name}": it exists already`, {
    hint: `POST ${baseOf(name)}/sim/config begins a new session of it`,
  })
}

/** `DELETE /simulations/NAME`: ends its streams and deletes its data. */
export async function deleteSimulation({ env, url }: Call): Promise<Response> {
  const name = lastWordOf(url)
  if (name === defaultName) {
    throw new GridError('out_of_order', 'Cannot delete simulation "default": it always exists', {
      hint: 'POST /api/v1/sim/reset begins a new session of it',
    })
  }
  // One character more than a name may have, so that the beginning of a longer text is not one.
  await requireSimulation(env, name.slice(0, 64), { withHint: true })
  // Its data first: a listed simulation without data can be deleted again, an unlisted one cannot.
  await env.SIMULATION.getByName(name).remove()
  await openDirectory(env).remove(name)
  return json({ deleted: name })
}
