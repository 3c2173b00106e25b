/** From an enable request to an order: every name checked, every default filled in, or every mistake listed. */

import { isRecord } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import type { AttackOrder } from '../configuration.ts'
import type { AttackEnableRequest } from '../interface/attack-requests.ts'
import { listLinks, type Telecontrol } from '../telecontrol/telecontrol.ts'
import type { AttackSchedule } from '../types.ts'
import { attacks, findAttack, fitsPlan } from './catalogue.ts'
import { type AnyAttack, toParams } from './definition.ts'
import { type Mistake, type Params, type ParamTable, propertyMistake, readParams, show } from './params.ts'

/** The result of reading a request: an order without its id, or the mistakes. */
export type ReadOrder =
  | { readonly ok: true; readonly order: Omit<AttackOrder, 'attack_id'> }
  | { readonly ok: false; readonly type: string; readonly mistakes: readonly Mistake[]; readonly hint: string }

/** The largest schedule that a request may ask for, in frames. */
const maximumFrames = 1_000_000_000

/** Reads an enable request; `schedule`, `target_link` and `seed` may be beside `params` or inside it. */
export function readOrder(request: AttackEnableRequest, plan: Telecontrol, defaultSeed: number): ReadOrder {
  const type = request.type.trim().toUpperCase()
  const definition = findAttack(type)
  if (definition === undefined) {
    return {
      ok: false,
      type,
      mistakes: [{ path: 'type', message: describeUnknownType(request.type) }],
      hint: `Known types: ${attacks.flatMap((attack) => (fitsPlan(attack, plan) ? [attack.type] : [])).join(', ')}`,
    }
  }
  if (!fitsPlan(definition, plan)) {
    const message = `${type} needs an IEC 61850 station, and the session has none`
    return { ok: false, type, mistakes: [{ path: 'type', message }], hint: 'Set iec61850 of the session' }
  }
  return readMembers(definition, request, plan, defaultSeed)
}

/** Reads the parameters, the schedule, the link and the seed of a request for a type that the network has. */
function readMembers(
  definition: AnyAttack,
  request: AttackEnableRequest,
  plan: Telecontrol,
  defaultSeed: number,
): ReadOrder {
  const { type } = definition
  const beside = { schedule: request.schedule, target_link: request.target_link, seed: request.seed }
  const { schedule, target_link, seed, ...given } = { ...beside, ...request.params }
  const named = rename(definition, given)
  const read = readParams(definition.params, { ...definition.defaults?.(named, plan), ...named })
  const scheduled = readSchedule(schedule)
  const link = readLink(target_link, plan)
  const seeded = readSeed(seed, defaultSeed)
  const mistakes = [
    ...(read.ok ? (definition.check?.(toParams(read.params), plan, link.value) ?? []) : read.mistakes),
    ...scheduled.mistakes,
    ...link.mistakes,
    ...(read.ok && link.value !== null ? findIdle(definition, toParams(read.params), plan, link.value) : []),
    ...seeded.mistakes,
  ]
  if (!read.ok || mistakes.length > 0) {
    return { ok: false, type, mistakes, hint: 'GET /api/v1/attacks/catalog lists every parameter with its bounds' }
  }
  const { params } = read
  return { ok: true, order: { type, params, schedule: scheduled.value, target_link: link.value, seed: seeded.value } }
}

/** A member of a request: its value, or that of an absent one beside the mistakes. */
interface Read<Value> {
  readonly value: Value
  readonly mistakes: readonly Mistake[]
}

/** The message for a type that does not exist, with the nearest type. */
export function describeUnknownType(type: string): string {
  const meant = nearest(
    type,
    attacks.map((attack) => attack.type),
  )
  const suggestion = meant === undefined ? '' : `, did you mean "${meant}"?`
  return `Unknown attack type "${type.slice(0, 64)}"${suggestion}`
}

function rename({ aliases = {} }: AnyAttack, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      // Own names only: every object inherits a `constructor`.
      Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name,
      value,
    ]),
  )
}

/** Reads when an attack begins and how long it lasts; at once and without end when absent. */
export function readSchedule(given: unknown): Read<AttackSchedule> {
  const always = { start_frame: 0, duration_frames: 0 }
  if (given === undefined || given === null) return { value: always, mistakes: [] }
  if (!isRecord(given)) {
    const state = 'must be an object with start_frame and duration_frames'
    return { value: always, mistakes: [propertyMistake('schedule', state)] }
  }
  const spec = { type: 'integer', default: 0, min: 0, max: maximumFrames } as const
  const read = readParams({ start_frame: spec, duration_frames: spec }, given)
  if (!read.ok) return { value: always, mistakes: read.mistakes.map(inSchedule) }
  const [start_frame, duration_frames] = [Number(read.params.start_frame), Number(read.params.duration_frames)]
  return { value: { start_frame, duration_frames }, mistakes: [] }
}

function inSchedule({ path, message }: Mistake): Mistake {
  return { path: path.replace('params.', 'schedule.'), message: message.replace('Parameter "', 'Parameter "schedule.') }
}

function readLink(given: unknown, plan: Telecontrol): Read<string | null> {
  if (given === undefined || given === null || given === '') return { value: null, mistakes: [] }
  const known = listLinks(plan).map(({ id }) => id)
  if (known.some((id) => id === given)) return { value: String(given), mistakes: [] }
  const meant = typeof given === 'string' ? nearest(given, known) : undefined
  const example = meant ?? known[0]
  const expected = `expected the id of a link of GET /api/v1/topology, such as ${JSON.stringify(example)}`
  return { value: null, mistakes: [propertyMistake('target_link', `is ${show(given)}, ${expected}`)] }
}

const listedLinks = 8

function findIdle({ type, links }: AnyAttack, params: Params<ParamTable>, plan: Telecontrol, link: string) {
  const touched = links(params, plan)
  if (touched.includes(link) || touched.length === 0) return []
  const names = touched.slice(0, listedLinks).map((id) => JSON.stringify(id))
  const more = touched.length > listedLinks ? ` and ${touched.length - listedLinks} more` : ''
  const state = `is "${link}", where ${type} with these parameters has nothing to touch`
  return [propertyMistake('target_link', `${state}, expected ${names.join(', ')}${more}`)]
}

function readSeed(given: unknown, usual: number): Read<number> {
  if (given === undefined || given === null) return { value: usual, mistakes: [] }
  const isSeed = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 0xffffffff
  if (isSeed) return { value: given, mistakes: [] }
  const state = `is ${show(given)}, expected an integer from 0 to 4294967295`
  return { value: usual, mistakes: [propertyMistake('seed', state)] }
}
