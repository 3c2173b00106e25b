/** The rules of a response of a control plane, as configuration files. */

import { messageOf } from '#base/errors.ts'
import { type DiscoveryResponse, decodeRules, rulesTypeUrl } from '#proto-json/xds.ts'
import type { LocatedFile } from '../ratelimit/runtime-directory.ts'

/** Reads the files of a response, sorted by key; a text says what is wrong with it. */
export function readFiles({ typeUrl, resources }: DiscoveryResponse): readonly LocatedFile[] | string {
  const names = new Set<string>()
  const files: LocatedFile[] = []
  for (const resource of resources) {
    if (typeUrl !== rulesTypeUrl || resource.typeUrl !== rulesTypeUrl) {
      const found = typeUrl !== rulesTypeUrl ? typeUrl : resource.typeUrl
      return `the response has resources of type "${found.slice(0, 200)}", expected ${rulesTypeUrl}`
    }
    try {
      const { name, text } = decodeRules(resource.value)
      if (names.has(name)) return `two resources have the name "${name.slice(0, 200)}", expected another for one`
      names.add(name)
      files.push({ key: toFileKey(name), text, path: name })
    } catch (error) {
      return messageOf(error)
    }
  }
  return files.sort((one, other) => (one.key < other.key ? -1 : 1))
}

/** The runtime key of a resource: its name, with what a key cannot have escaped as in a URL. */
function toFileKey(name: string): string {
  return `config.${name.replace(/[%/\p{Cc}]/gu, encodeURIComponent)}`
}
