/** The `dev.*` methods that order the failures to answer next. */

import { type FaultKind, faultKinds, putFaults, readFaults, stepFaults } from '../state/control.ts'
import { intParam, invalidParams, type Method, type Params, show, textParam } from './method.ts'

const maxFaults = 100
const maxMethodLength = 64

/** The methods by name. */
export const devFaultMethods: Readonly<Record<string, Method>> = {
  'dev.failNext': ({ node }, params) => {
    const kind = faultParam(params)
    const method = faultMethod(params, kind)
    const times = intParam(params, 'times', { least: 1, most: 10_000, otherwise: 1 })
    // The oldest faults give way.
    putFaults(node.store, [...readFaults(node.store), { method, kind, times }].slice(-maxFaults))
    return { result: { faults: readFaults(node.store) } }
  },
  'dev.clearFaults': ({ node }) => {
    putFaults(node.store, [])
    return { result: {} }
  },
}

function faultParam(params: Params): FaultKind {
  const name = params.error
  const kind = faultKinds.find((one) => one === name)
  if (kind !== undefined) return kind
  throw invalidParams(`error is ${show(name)}, expected one of ${faultKinds.join(', ')}`)
}

/** Reads the method to fail; a fault in a step of block production has a fixed method, named in `stepFaults`. */
function faultMethod(params: Params, kind: FaultKind): string {
  const step = stepFaults[kind]
  const method = textParam({ method: step ?? 'user.broadcast', ...params }, 'method').slice(0, maxMethodLength)
  if (method === step || (step === undefined && !Object.values(stepFaults).includes(method))) return method
  throw invalidParams(
    `method is ${show(method)}, expected ${step === undefined ? 'a method of the node' : step} for ${kind}`,
  )
}
