/** What clients read besides records: the simulation, its topology, its attacks, and the answers to orders. */

import type { JsonObject } from '../../base/json.ts'
import type { AttackCounters, AttackSchedule, TechniqueRef } from '../types.ts'

/** What a simulation says about itself. */
export interface Simulation {
  readonly sim_running: boolean
  readonly session_id: string
  /** Whole seconds since the session was created. */
  readonly uptime_s: number
  /** Retained incident records, not a lifetime total. */
  readonly total_incidents: number
  /** Retained attacked records, not a lifetime total. */
  readonly attacked: number
  readonly integrations: Readonly<Record<string, boolean>>
  readonly [extra: string]: unknown
}

/** A simulation with the service around it; the one answer that needs no token. */
export interface Status extends Simulation {
  readonly tool: string
  readonly version: string
  readonly timestamp: number
  /** Whether token enforcement is on. */
  readonly auth: boolean
}

/** The kinds of nodes in a topology. */
export type NodeType =
  | 'CT_VT'
  | 'BREAKER'
  | 'PMU'
  | 'PROTECTION_IED'
  | 'BCU'
  | 'PDC'
  | 'SWITCH'
  | 'STATION_HMI'
  | 'ENGINEERING_WS'
  | 'GATEWAY_RTU'
  | 'STATE_PDC'
  | 'THREAT_AGENT'
  | 'VIRTUAL'

/** One device; further fields depend on its type. */
export interface TopologyNode {
  readonly id: string
  readonly node_type: NodeType
  readonly label: string
  readonly ip: string
  readonly port: number
  readonly proto: 'UDP' | 'TCP'
  /** -1 threat, 0 process, 1 bay, 2 station, 3 control centre. */
  readonly level: number
  readonly x: number
  readonly y: number
  readonly [extra: string]: unknown
}

/** One link between two nodes, with the attackers on it. */
export interface TopologyLink {
  readonly id: string
  readonly src_id: string
  readonly dst_id: string
  readonly protocol: string
  readonly threat_agent_ids: readonly string[]
}

/** Both layers in one snapshot: the devices that talk, and the grid that they measure and switch. */
export interface Topology {
  readonly format: string
  readonly version: number
  readonly nodes: readonly TopologyNode[]
  readonly links: readonly TopologyLink[]
  readonly simulation?: JsonObject
  readonly grid?: JsonObject
  readonly [extra: string]: unknown
}

/** One attack that is enabled now. */
export interface ActiveAttack {
  readonly attack_id: string
  readonly type: string
  readonly enabled: boolean
  readonly params: JsonObject
  readonly schedule: AttackSchedule
  readonly stats: AttackCounters
  readonly technique: TechniqueRef | null
  /** Unix time in seconds at which it was enabled. */
  readonly since: number
}

/** The counters of all messages, the latest attack in full, and every attack that is enabled. */
export interface AttacksSnapshot extends AttackCounters {
  readonly type: string
  readonly enabled: boolean
  readonly params: JsonObject
  readonly schedule: AttackSchedule
  readonly stats: AttackCounters
  readonly technique: TechniqueRef | null
  readonly since: number | null
  readonly active: readonly ActiveAttack[]
}

/** The answer to an enable request; `success` is the only proof that something was enabled. */
export interface AttackEnableResult {
  readonly success: boolean
  readonly attack_type: string
  readonly attack_id?: string
  /** The parameters with every default filled in. */
  readonly effective_params?: JsonObject
  readonly schedule?: AttackSchedule
  readonly error?: string
  /** Every mistake in the request, one sentence each. */
  readonly errors?: readonly string[]
  /** The same with their places, such as `params.bus`; an empty path is the whole request. */
  readonly mistakes?: readonly { readonly path: string; readonly message: string }[]
  /** What was ignored although the attack was enabled. */
  readonly warnings?: readonly string[]
  readonly hint?: string
}

/** The acknowledgment of a disable request; always a success, as the contract says. */
export interface AttackDisableResult {
  readonly success: true
  readonly message: string
  /** Identifiers of the attacks that this request ended. */
  readonly disabled: readonly string[]
  readonly hint?: string
}
