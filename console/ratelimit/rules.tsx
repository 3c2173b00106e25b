/** The view in which rules are edited: their files, what would change, what they would have decided, and publishing. */

import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Change, Snapshot } from '#ratelimit/contract/configuration.ts'
import { ask } from '../frame/api.ts'
import { Panel, Problem } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { Difference, useVerdict } from './difference.tsx'
import { type Draft, draft, type Files, keepDraft, makeDraft, withEdits } from './draft.ts'
import { FilesPanel } from './files-panel.tsx'
import { JudgementPanel } from './judgement.tsx'
import { DraftOffer, PublishQuestion, PublishRow } from './publish.tsx'

/** The view. */
export function Rules(): JSX.Element {
  const snapshot = useAnswer<Snapshot>('ratelimit', filesPath)
  // Above the desk, which each revision has anew: publishing must not open another file.
  const [open, setOpen] = useState('')
  const [published, setPublished] = useState<number | null>(null)
  const desk = { open, onOpen: setOpen, published, onPublished: setPublished, reload: snapshot.reload }
  return (
    <Loaded of={snapshot} rows={12}>
      {(data) => <Desk key={data.revision} snapshot={data} {...desk} />}
    </Loaded>
  )
}

const filesPath = '/ratelimit/config/files'

interface DeskProps {
  readonly snapshot: Snapshot
  /** The file that is open; the first one while it does not exist. */
  readonly open: string
  readonly onOpen: (key: string) => void
  /** The revision that was published here last. */
  readonly published: number | null
  readonly onPublished: (revision: number) => void
  readonly reload: () => void
}

function Desk({ snapshot, open: asked, onOpen, published, onPublished, reload }: DeskProps): JSX.Element {
  const { revision } = snapshot
  const { running, older, own, files } = useFiles(snapshot)
  const [isAsking, setAsking] = useState(false)
  const { error, run } = useAction()
  const { verdict, checkAgain } = useVerdict(files)
  const mistakes = verdict?.mistakes ?? []
  if (older !== null) return <DraftOffer draft={older} revision={revision} running={running} />
  return (
    <div class="desk">
      <FilesPanel
        title={`Files${revision === 0 ? '' : `, revision ${revision}`}`}
        files={files}
        running={running}
        mistakes={mistakes}
        open={files[asked] === undefined ? (Object.keys(files)[0] ?? '') : asked}
        onOpen={onOpen}
        onChange={(next) => keepDraft(makeDraft(revision, running, next))}
      />
      <div class="stack">
        <Problem error={error} />
        <Problem error={verdict?.error} onRetry={checkAgain} />
        <Panel title="Difference to what runs">
          <Difference verdict={verdict} isChanged={own !== null} onOpen={onOpen} />
        </Panel>
        <JudgementPanel files={files} isWrong={mistakes.length > 0} />
        <PublishRow
          draft={own}
          isRight={verdict?.files === files && verdict.changes !== undefined}
          published={published === revision ? published : null}
          onPublish={() => setAsking(true)}
        />
      </div>
      {isAsking ? (
        <PublishQuestion
          revision={revision + 1}
          changes={verdict?.changes}
          onConfirm={() => run(() => publish(files, revision, onPublished).then(reload))}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </div>
  )
}

/** The files that run, the draft of another revision, and the files of this one with its own draft. */
function useFiles({ revision, files: listed }: Snapshot) {
  const running = useMemo((): Files => Object.fromEntries(listed.map(({ key, text }) => [key, text])), [listed])
  const older = useOlderDraft(revision, running)
  const own = older === null ? draft.value : null
  const files = useMemo(() => (own === null ? running : withEdits(own, running)), [own, running])
  return { running, older, own, files }
}

/** A draft of another revision that would still change something; one that would not is forgotten. */
function useOlderDraft(revision: number, running: Files): Draft | null {
  const kept = draft.value
  const isOlder = kept !== null && kept.revision !== revision
  const isMoot = isOlder && makeDraft(revision, running, withEdits(kept, running)) === null
  useEffect(() => {
    if (isMoot) keepDraft(null)
  }, [isMoot])
  return isOlder && !isMoot ? kept : null
}

/** Publishes the files, unless another person has published meanwhile: that revision is offered to the draft first. */
async function publish(files: Files, revision: number, onPublished: (revision: number) => void): Promise<void> {
  const sent = draft.peek()
  if ((await ask<Snapshot>('ratelimit', filesPath)).revision !== revision) return
  const request = { method: 'PUT', body: { files }, headers: { from: 'console' } } as const
  const { revision: next } = await ask<Change>('ratelimit', filesPath, request)
  onPublished(next)
  // Another draft has what was typed since: it is offered to the new revision.
  if (draft.peek() === sent) keepDraft(null)
}
