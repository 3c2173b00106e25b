/** `npm run build` in this folder: the pages with search, and the API of the library below `/api`, in `dist`. */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
rmSync(join(folder, 'dist'), { recursive: true, force: true })
for (const args of [['vitepress/bin/vitepress.js', 'build'], ['typedoc/bin/typedoc']]) {
  const [program = '', ...words] = args
  const command = [join(folder, 'node_modules', program), ...words]
  const { status } = spawnSync(process.execPath, command, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
