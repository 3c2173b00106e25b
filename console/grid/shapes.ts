/** The answers of the grid's interface that the room reads; docs/grid.md has them whole. */

/** A bus of the drawing. */
export interface Bus {
  readonly id: number
  readonly x: number
  readonly y: number
}

/** A branch of the drawing; its breaker is named `CB-` and its name. */
export interface Branch {
  readonly number: number
  readonly name: string
  readonly from: number
  readonly to: number
  readonly rate_mva: number
}

/** The grid part of the topology. */
export interface GridPlan {
  readonly case: string
  readonly buses: readonly Bus[]
  readonly branches: readonly Branch[]
  readonly generators: readonly { readonly bus: number }[]
  readonly loads: readonly { readonly bus: number }[]
}

/** A device of the topology; that of an attacker has the type `THREAT_AGENT`. */
export interface GridDevice {
  readonly node_type: string
  readonly label: string
  readonly ip: string
  readonly mac?: string
}

/** A message that passed, in short. The interface says of each whether it was attacked; the trainee view does not. */
export interface Message {
  readonly timestamp: number
  readonly protocol: string
  readonly src: string
  readonly dst: string
  readonly len: number
  /** False when it never reached its receiver. */
  readonly forwarded?: boolean
  readonly frame_no?: number
}

/** The state of a simulation. */
export interface Simulation {
  readonly run: 'new' | 'running' | 'paused' | 'stopped'
  readonly session_id: string
  readonly case: string
  readonly speed: number
  readonly tick: number
  readonly sim_time: number
  readonly mode: string
  readonly lifetime: { readonly incidents: number; readonly modified_packets: number }
  /** Numbers of the whole grid; absent while another program computes it. */
  readonly grid?: Readonly<Record<string, number>>
}

/** A technique of ATT&CK for ICS. */
export interface Technique {
  readonly id: string
  readonly legacy_id: string
  readonly name: string
}

/** One parameter of an attack. */
export interface Parameter {
  readonly type: 'number' | 'integer' | 'string' | 'boolean' | 'strings'
  readonly default: unknown
  readonly min?: number
  readonly max?: number
  readonly unit?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** One type of attack of the catalogue. */
export interface AttackType {
  readonly type: string
  readonly name: string
  readonly protocol: string
  readonly technique: Technique | null
  readonly params: Readonly<Record<string, Parameter>>
  readonly frameEffect: string
  readonly gridEffect: string
  readonly expectedDetection: string
}

/** An attack that is on. */
export interface ActiveAttack {
  readonly attack_id: string
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
  readonly stats: {
    readonly total_packets: number
    readonly modified_packets: number
    readonly dropped_packets: number
  }
  /** Simulated Unix seconds. */
  readonly since: number
}

/** One message that was attacked or lost. */
export interface Incident {
  readonly id: string
  readonly timestamp: number
  readonly protocol: string
  readonly attack_type: string
  readonly attack_id?: string
  readonly status: string
  readonly severity: string
  readonly description: string
  readonly src_node?: string
  readonly dst_node?: string
  readonly src_ip?: string
  readonly dst_ip?: string
  readonly frame_no?: number
  readonly technique?: Technique
  readonly original_val?: Readonly<Record<string, unknown>>
  readonly modified_val?: Readonly<Record<string, unknown>>
  readonly impact?: Readonly<Record<string, unknown>>
}

/** An alarm of the control centre. */
export interface Alarm {
  readonly timestamp: number
  readonly detector: string
  readonly where: string
  readonly text: string
}

/** A stretch of time that was not computed. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly reason: string
}

/** The key of an alarm. */
export function alarmKey({ timestamp, detector, where }: Alarm): string {
  return `${timestamp} ${detector} ${where}`
}
