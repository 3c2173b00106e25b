/** The bindings of a deployment, made so that each call to an object becomes a span of the request that makes it. */

import { memo } from '#base/memo.ts'
import { currentRequest } from './request-context.ts'
import { recordCall } from './tracer.ts'

/** Wraps the object namespaces of an environment; outside of a traced request calls go straight through. */
export function traceBindings<Env extends object>(env: Env): Env {
  // It has the fields of `env`, each of the same type.
  return wrapEnvironment(env) as Env
}

const wrapEnvironment = memo((env: object): object => {
  const pairs = Object.entries(env).map(([name, binding]) => [
    name,
    isNamespace(binding) ? wrapNamespace(name, binding) : binding,
  ])
  return Object.freeze(Object.fromEntries(pairs))
})

type Namespace = Pick<DurableObjectNamespace, 'getByName'>

function isNamespace(binding: unknown): binding is Namespace {
  return typeof binding === 'object' && binding !== null && 'getByName' in binding && 'idFromName' in binding
}

function wrapNamespace(name: string, namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get(target, property) {
      if (property === 'getByName') {
        return (...given: Parameters<Namespace['getByName']>) => wrapStub(name, target.getByName(...given))
      }
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function wrapStub<Stub extends object>(name: string, stub: Stub): Stub {
  return new Proxy(stub, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property)
      if (typeof property !== 'string' || typeof method !== 'function') return method
      return (...given: readonly unknown[]) =>
        measure(`${name}.${property}`, () => Reflect.apply(method, target, given))
    },
  })
}

/** Makes a call and adds its span once it has ended; the caller gets the platform's own promise. */
function measure(name: string, call: () => unknown): unknown {
  const trace = currentRequest()?.trace
  const startMs = Date.now()
  const result = call()
  if (trace === undefined || !isThenable(result)) return result
  result.then(
    () => recordCall(trace, { name, startMs }),
    (error) => recordCall(trace, { name, startMs, failure: String(error).slice(0, 200) }),
  )
  return result
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && 'then' in value
}
