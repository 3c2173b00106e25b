/** Requests to the gateway. */

import { ask, type ReadOptions } from '../frame/api.ts'
import { type Resource, useResource } from '../frame/resource.ts'

/** Streams that the gateway lists at once. */
export const mostStreams = 5_000

/** Markets that the network lists at once. */
export const mostMarkets = 100

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads an operation or a path of the gateway; parameters that are undefined are left out. */
export async function read<T>(
  name: string,
  parameters: Parameters = {},
  signal?: AbortSignal,
  readOptions: ReadOptions = {},
): Promise<T> {
  const known = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  )
  const path = `/streamnet/v1/${name}?${new URLSearchParams(known)}`
  return (await ask<{ result: T }>('streamnet', path, { ...readOptions, signal })).result
}

/** Keeps an operation or a path of the gateway read while the component is mounted. */
export function useRead<T>(name: string, parameters: Parameters = {}, everyMs?: number): Resource<T> {
  const key = `${name} ${JSON.stringify(parameters)}`
  return useResource((signal) => read<T>(name, parameters, signal), key, everyMs)
}

/** Keeps the address of the gateway's own wallet known; null where the gateway has no key. */
export function useOwnAccount(): Resource<string | null> {
  return useRead('get_current_account')
}

/** Ends what a path of the gateway names. */
export async function remove(name: string): Promise<void> {
  await ask('streamnet', `/streamnet/v1/${name}`, { method: 'DELETE' })
}

/** Runs an operation that changes something. */
export async function write<T>(name: string, body: object): Promise<T> {
  return (await ask<{ result: T }>('streamnet', `/streamnet/v1/${name}`, { method: 'POST', body })).result
}
