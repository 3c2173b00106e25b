/** The topic of the diagram: what each listener has of it when another comes. */

import { describe, expect, it, vi } from 'vitest'
import { openDiagramFeed } from '#objects/grid/simulation/diagram.ts'
import { openSession } from '#objects/grid/simulation/session.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { configuration, inside } from './simulation-run.ts'

describe('openDiagramFeed()', () => {
  it('sends the whole of a new session to those who listen, also where another listener comes before that event', () =>
    inside('diagram', async (state) => {
      const session = openSession(openSimulationStore(state.storage), 0)
      const sent: unknown[] = []
      const feed = openDiagramFeed(
        session,
        () => true,
        ({ data }) => void sent.push(data),
        'full',
      )
      feed.changed()
      await vi.waitFor(() => expect(sent).toMatchObject([{ complete: true }]))
      session.create({ ...configuration, case: 'case9' }, 1)
      feed.repeat()
      expect(feed.opening()).toHaveLength(1)
      await vi.waitFor(() => expect(sent).toMatchObject([{ complete: true }, { complete: true }]))
    }))
})
