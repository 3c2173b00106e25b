/** Recorded scenarios: files of steps with the answers of a real node. Their member `legend` explains the steps. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'

/** Says why scenarios cannot be played: the node or the file of scenarios cannot be used. */
export class ScenarioError extends Error {}

/** An argument as a scenario writes it: plain, or an object that names its type or an earlier step. */
export type Argument = null | string | boolean | Readonly<Record<string, unknown>>

/** Parts of an answer that may differ: the order of rows, the text of the cache, other markets, or all. */
export type Openness = 'set' | 'nolog' | 'own' | 'shared' | 'skip'

/** One step: what is asked, and what a real node answered. The format has a letter for each kind. */
export type Step = TransactionStep | ViewStep | WaitStep | AgentStep | RepeatStep

type StepOf<Kind extends string, Subject, Action extends string | null, Args> = readonly [
  kind: Kind,
  subject: Subject,
  action: Action,
  args: Args,
  answer: unknown,
  open?: Openness,
]

/** A transaction of a wallet, with a list of calls. */
export type TransactionStep = StepOf<'x', number, string, readonly (readonly Argument[])[]>

/** A view and the wallet of its caller, 0 where there is none. */
export type ViewStep = StepOf<'v', number, string, readonly Argument[]>

/** A wait, which asks nothing and has no answer. */
type WaitStep = readonly [
  kind: 'w',
  subject: Awaited,
  action?: undefined,
  args?: undefined,
  answer?: undefined,
  open?: undefined,
]

/** A transaction of a wallet that runs an action as an agent wallet. */
export type AgentStep = StepOf<'m', number, string, AgentArguments>

/** The transaction of an earlier agent step once more, by its number. */
export type RepeatStep = StepOf<'r', number, null, number>

/** Seconds after the start, or the step whose attestation is signed. */
export type Awaited = { readonly t: number } | { readonly signed: number }

/** Arguments of a step that runs an action as an agent wallet. */
export type AgentArguments = readonly [
  wallet: string,
  namespace: string,
  args: readonly Argument[],
  options?: {
    /** The wallet whose key signs in the place of the sender. */
    readonly sign?: number
    /** The signed text has the digest of other octets. */
    readonly digest?: number
    /** Added to the right nonce. */
    readonly nonce?: number
    readonly chain?: string
    /** Payload type in the text and in the body. */
    readonly type?: string
    /** Payload type in the body only. */
    readonly sent?: string
    readonly version?: number
    /** Octets missing at the end of the payload. */
    readonly cut?: number
    /** Octets added at its end, in hex. */
    readonly tail?: string
  },
]

/** Question of a market or an attestation of a scenario. */
export interface Question {
  /** The data provider. */
  readonly dp: string
  /** The stream. */
  readonly sid: string
  readonly action: string
  /** Arguments of an action without thresholds. */
  readonly args?: readonly Argument[]
  /** UNIX seconds, or seconds after the start. */
  readonly time?: number | { readonly t: number }
  readonly bounds?: readonly string[]
  readonly frozen?: number | null
}

/** Balances, roles and deposits at the start, and the steps. */
export interface Scenario {
  readonly name: string
  /** Bridge, number of the wallet, amount in the token's smallest unit. */
  readonly funds: readonly (readonly [string, number, string])[]
  /** Number of the wallet, owner and name of the role. */
  readonly roles: readonly (readonly [number, string, string])[]
  readonly deposits?: readonly Deposit[]
  /** Height of the first transaction, whose place between two samplings of liquidity counts. */
  readonly firstHeight?: number
  /** Height and seconds after the start of each transaction; without them each gets a second. */
  readonly paces?: readonly (readonly [number, number?] | null)[]
  readonly steps: readonly Step[]
}

/** A deposit from the other chain, as the recording node saw it. */
export type Deposit = readonly [
  bridge: string,
  wallet: number,
  amount: string,
  sender: string,
  hash: string,
  externalHeight: number,
  height: number,
  seconds: number,
]

/** Names and types of columns, kept once for all answers that have them. */
export type Shapes = readonly (readonly [names: readonly string[], types: readonly string[]])[]

/** A file of scenarios. */
export interface ScenarioFile {
  readonly title: string
  /** The node that was recorded. */
  readonly node: string
  readonly shapes: Shapes
  readonly scenarios: readonly Scenario[]
}

const folder = join(projectRoot, 'test/vectors/scenarios')

/** Reads the scenarios that come with the project, in the order of their files. */
export function readScenarioFiles(): readonly ScenarioFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => parseScenarios(name, readFileSync(join(folder, name), 'utf8')))
}

const format = 'stream-scenarios/1'

/**
 * Reads a file of scenarios.
 *
 * @param name - of the file, for messages.
 * @throws ScenarioError when the text is not JSON of this format.
 */
export function parseScenarios(name: string, text: string): ScenarioFile {
  const json = parseJson(name, text)
  const { format: given, scenarios, shapes } = json
  if (given !== format) {
    throw new ScenarioError(`Cannot read ${name}: its format is ${JSON.stringify(given)}, expected "${format}"`)
  }
  if (!Array.isArray(scenarios) || !Array.isArray(shapes)) {
    throw new ScenarioError(`Cannot read ${name}: "scenarios" or "shapes" is missing, expected lists`)
  }
  // The format's number says that the rest is as the types above.
  return json as unknown as ScenarioFile
}

function parseJson(name: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null) return json as Readonly<Record<string, unknown>>
  } catch {
    // Told below, like JSON that is not an object.
  }
  throw new ScenarioError(`Cannot read ${name}: it is not a JSON object`)
}
