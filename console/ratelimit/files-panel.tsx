/** The files of a draft: one of them in the editor, with its mistakes at their lines. */

import type { JSX } from 'preact'
import type { Mistake } from '#ratelimit/contract/configuration.ts'
import { Button, Empty, Panel } from '../frame/components.tsx'
import type { Files } from './draft.ts'
import { Editor } from './editor.tsx'

interface FilesPanelProps {
  readonly title: string
  readonly files: Files
  readonly running: Files
  readonly mistakes: readonly Mistake[]
  /** The file in the editor; empty for none. */
  readonly open: string
  readonly onOpen: (key: string) => void
  readonly onChange: (files: Files) => void
}

/** The panel. A file that is edited has a star, one with a mistake an exclamation mark. */
export function FilesPanel(props: FilesPanelProps): JSX.Element {
  const { title, files, running, mistakes, open, onOpen, onChange } = props
  const text = files[open]
  return (
    <Panel title={title} actions={<FileButtons files={files} open={open} onChange={onChange} onOpen={onOpen} />}>
      <fieldset class="segments" aria-label="Files">
        {Object.keys(files).map((key) => (
          <Button key={key} isPressed={key === open} onClick={() => onOpen(key)}>
            {key}
            {files[key] === running[key] ? '' : ' *'}
            {mistakes.some(({ file }) => file === key) ? ' !' : ''}
          </Button>
        ))}
      </fieldset>
      {text === undefined ? (
        <Empty title="There are no rules">Every decision is refused until there are some. Add a file to begin.</Empty>
      ) : (
        <Editor
          key={open}
          name={open}
          text={text}
          mistakes={mistakes.filter(({ file }) => file === open)}
          onText={(next) => onChange({ ...files, [open]: next })}
        />
      )}
    </Panel>
  )
}

const emptyRules =
  'domain: my_domain\ndescriptors:\n  - key: user\n    rate_limit: {unit: minute, requests_per_unit: 60}\n'

function FileButtons(props: Pick<FilesPanelProps, 'files' | 'open' | 'onChange' | 'onOpen'>): JSX.Element {
  const { files, open, onChange, onOpen } = props
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
