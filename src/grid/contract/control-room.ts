/** Answers to callers who see what the control room knows: members that are allowed, and no other. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { Branch, Bus, Device, Grid, GridView, Link } from './grid.ts'
import { Simulation, Status } from './simulation.ts'

/** A simulation as its control room sees it. */
export const ControlRoomSimulation = Simulation.pick({
  sim_running: true,
  session_id: true,
  uptime_s: true,
  run: true,
  mode: true,
  case: true,
  speed: true,
  tick: true,
  sim_time: true,
})
export type ControlRoomSimulation = DeepReadonly<z.infer<typeof ControlRoomSimulation>>

const service = { tool: true, version: true, timestamp: true, auth: true } as const

/** The public status of a simulation on which an exercise is held. */
export const ControlRoomStatus = z.strictObject({ ...ControlRoomSimulation.shape, ...Status.pick(service).shape })

const breaker = z.strictObject({
  id: z.string(),
  branch: z.int(),
  state: z.exactOptional(z.enum(['open', 'closed'])).describe('As last reported; absent before the first report.'),
})

const members = Grid.shape

/** The grid as its plan has it, with breakers as they were last reported. */
const ControlRoomGrid = z.strictObject({
  case: members.case,
  base_mva: members.base_mva,
  buses: z.array(Bus.pick({ id: true, base_kv: true, zone: true, x: true, y: true })),
  branches: z.array(Branch.pick({ number: true, name: true, from: true, to: true, rate_mva: true, tap: true })),
  generators: z.array(members.generators.element.pick({ bus: true, p_max_mw: true, black_start: true })),
  loads: z.array(members.loads.element.pick({ bus: true })),
  breakers: z.array(breaker),
})

/** The devices and the plan of the grid. */
export const ControlRoomTopology = z.strictObject({
  format: z.string(),
  version: z.int(),
  nodes: z.array(Device),
  links: z.array(Link),
  grid: ControlRoomGrid,
})
export type ControlRoomTopology = DeepReadonly<z.infer<typeof ControlRoomTopology>>

/** The measured and the estimated state, and the alarms. */
export const ControlRoomView = GridView.omit({ truth: true })
export type ControlRoomView = DeepReadonly<z.infer<typeof ControlRoomView>>
