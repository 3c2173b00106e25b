/** The packages as another project has them; packing takes a minute, so that all of their tests share one file. */

import { testCommand } from './package/command.ts'
import { testContents } from './package/contents.ts'
import { testExamples } from './package/examples.ts'
import { testFromAWorker } from './package/from-a-worker.ts'
import { packProject } from './package/packed.ts'
import { testRegistry } from './package/registry.ts'
import { testRuntimes } from './package/runtimes.ts'
import { testTestFiles } from './package/test-files.ts'

const packed = packProject()

testContents(packed)
testCommand(packed)
testTestFiles(packed)
testRegistry(packed)
testRuntimes(packed)
testFromAWorker(packed)
testExamples(packed)
