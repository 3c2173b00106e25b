/** Server reflection, which a front answers itself: it needs a stream both ways, and gRPC-Web has none. */

import { answerReflection, reflectionPaths } from '../../proto-json/reflection.ts'
import type { OwnMethods } from './converse.ts'

/** `ServerReflectionInfo`, in both versions. */
export const reflectionMethods: OwnMethods = new Map(reflectionPaths.map((path) => [path, answerReflection]))
