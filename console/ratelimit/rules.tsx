/** Rules: files with their mistakes at their lines, what would change, what it would have decided, and publishing. */

import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Change, Snapshot } from '#ratelimit/contract/configuration.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Panel, Problem, State } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { ChangeList } from './changes.tsx'
import { Difference, useVerdict } from './difference.tsx'
import { type Draft, draft, type Files, isUnkept, keepDraft, makeDraft, withEdits } from './draft.ts'
import { DraftOffer } from './draft-offer.tsx'
import { Editor } from './editor.tsx'
import { JudgementPanel } from './judgement.tsx'

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

const emptyRules =
  'domain: my_domain\ndescriptors:\n  - key: user\n    rate_limit: {unit: minute, requests_per_unit: 60}\n'

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

function Desk({ snapshot, open: asked, onOpen: setOpen, published, onPublished, reload }: DeskProps) {
  const { revision } = snapshot
  const running = useMemo(
    (): Files => Object.fromEntries(snapshot.files.map(({ key, text }) => [key, text])),
    [snapshot],
  )
  const older = useOlderDraft(revision, running)
  const own = older === null ? draft.value : null
  const files = useMemo(() => (own === null ? running : withEdits(own, running)), [own, running])
  const setFiles = (next: Files) => keepDraft(makeDraft(revision, running, next))
  const open = files[asked] === undefined ? (Object.keys(files)[0] ?? '') : asked
  const [isAsking, setAsking] = useState(false)
  const { error, run } = useAction()
  const verdict = useVerdict(files)
  const text = files[open]
  const isChanged = own !== null
  const publish = async () => {
    // A revision that another person has published meanwhile is offered to the draft first.
    if ((await ask<Snapshot>('ratelimit', filesPath)).revision !== revision) return reload()
    const { revision: next } = await ask<Change>('ratelimit', filesPath, {
      method: 'PUT',
      body: { files },
      headers: { from: 'console' },
    })
    onPublished(next)
    keepDraft(null)
    reload()
  }
  if (older !== null) return <DraftOffer draft={older} revision={revision} running={running} />
  return (
    <div class="desk">
      <Panel
        title={`Files${snapshot.revision === 0 ? '' : `, revision ${snapshot.revision}`}`}
        actions={<FileButtons files={files} open={open} onChange={setFiles} onOpen={setOpen} />}
      >
        <fieldset class="segments" aria-label="Files">
          {Object.keys(files).map((key) => (
            <Button key={key} isPressed={key === open} onClick={() => setOpen(key)}>
              {key}
              {files[key] === running[key] ? '' : ' *'}
              {verdict?.mistakes.some(({ file }) => file === key) === true ? ' !' : ''}
            </Button>
          ))}
        </fieldset>
        {text === undefined ? (
          <Empty title="There are no rules">
            <p>Every decision is refused until there are some. Add a file to begin.</p>
          </Empty>
        ) : (
          <Editor
            key={open}
            name={open}
            text={text}
            mistakes={verdict?.mistakes.filter(({ file }) => file === open) ?? []}
            onText={(next) => setFiles({ ...files, [open]: next })}
          />
        )}
      </Panel>
      <div class="stack">
        <Problem error={error} />
        <Problem error={verdict?.error} />
        <Panel title="Difference to what runs">
          <Difference verdict={verdict} isChanged={isChanged} onOpen={setOpen} />
        </Panel>
        <JudgementPanel files={files} isWrong={(verdict?.mistakes.length ?? 0) > 0} />
        <div class="row">
          <Button
            kind="primary"
            disabled={!isChanged || verdict === null || verdict.mistakes.length > 0}
            onClick={() => setAsking(true)}
          >
            Publish
          </Button>
          <Button disabled={!isChanged} onClick={() => keepDraft(null)}>
            Discard changes
          </Button>
        </div>
        <p class="quiet" role="status">
          {isChanged ? keptText(own) : ''}
          {!isChanged && published === revision ? (
            <State tone="good">Published: revision {revision} decides every request now.</State>
          ) : null}
        </p>
      </div>
      {isAsking ? (
        <Confirm
          title="Publish these rules"
          action="Publish"
          onConfirm={() => run(publish)}
          onClose={() => setAsking(false)}
        >
          <p>
            They decide every request from now on, as revision {snapshot.revision + 1}. History keeps what runs now, and
            can bring it back.
          </p>
          {verdict?.changes === undefined ? null : <ChangeList changes={verdict.changes} />}
        </Confirm>
      ) : null}
    </div>
  )
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

function keptText({ edits }: Draft): string {
  const count = Object.keys(edits).length
  const what = `${count === 1 ? '1 file is' : `${count} files are`} edited and not published. This tab keeps the edits`
  return isUnkept.value
    ? `${what} until you reload it: they are too long to be kept beyond that.`
    : `${what}, also when you open another room or reload.`
}

interface FileButtonsProps {
  readonly files: Files
  readonly open: string
  readonly onChange: (files: Files) => void
  readonly onOpen: (key: string) => void
}

function FileButtons({ files, open, onChange, onOpen }: FileButtonsProps): JSX.Element {
  const add = () => {
    let number = 1
    while (files[`config.new-${number}.yaml`] !== undefined) number += 1
    const key = `config.new-${number}.yaml`
    onChange({ ...files, [key]: emptyRules })
    onOpen(key)
  }
  const remove = () => {
    const { [open]: _, ...others } = files
    onChange(others)
    onOpen(Object.keys(others)[0] ?? '')
  }
  return (
    <>
      <Button onClick={add}>Add file</Button>
      <Button onClick={remove} disabled={files[open] === undefined}>
        Remove file
      </Button>
    </>
  )
}
