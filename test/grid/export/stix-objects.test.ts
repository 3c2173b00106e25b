/** The head of every STIX object of the service, and relationships between two of them. */

import { describe, expect, it } from 'vitest'
import {
  catalogueSpan,
  extensionDefinition,
  identity,
  identityId,
  ownObject,
  relate,
} from '#grid/export/stix-objects.ts'
import { frameExtensionId } from '#grid/export/stix-observables.ts'

const span = { from: '2026-11-20T16:00:00.000Z', to: '2026-11-20T16:00:05.000Z' }

describe('ownObject()', () => {
  it('names its creator and both times', () => {
    expect(ownObject('campaign', 'k', span)).toEqual({
      type: 'campaign',
      spec_version: '2.1',
      id: expect.stringMatching(/^campaign--/),
      created_by_ref: identityId,
      created: span.from,
      modified: span.to,
    })
  })

  it('has the same id for a later version of the same thing', () => {
    expect(ownObject('campaign', 'k', { ...span, to: span.from }).id).toBe(ownObject('campaign', 'k', span).id)
  })
})

describe('relate()', () => {
  const [one, other] = [ownObject('malware', 'a', span), ownObject('campaign', 'b', span)]

  it('points from source to target', () => {
    expect(relate('uses', one, other, span)).toMatchObject({
      type: 'relationship',
      relationship_type: 'uses',
      source_ref: one.id,
      target_ref: other.id,
    })
  })

  it('is another relationship in the other direction or of another type', () => {
    const ids = [
      relate('uses', one, other, span),
      relate('uses', other, one, span),
      relate('targets', one, other, span),
    ].map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('the objects that never change', () => {
  it('are those that all others refer to, and are the same at every export', () => {
    expect(identity.id).toBe(identityId)
    expect(extensionDefinition).toMatchObject({ id: frameExtensionId, created_by_ref: identityId })
    for (const { created, modified } of [identity, extensionDefinition]) {
      expect([created, modified]).toEqual([catalogueSpan.from, catalogueSpan.to])
    }
  })
})
