/** Server reflection, which a front answers itself: it is a stream both ways, which gRPC-Web does not have. */

import { answerReflection, reflectionPaths } from '#proto-json/reflection.ts'
import type { OwnMethods } from './converse.ts'

/** `ServerReflectionInfo`, in both versions. */
export const reflectionMethods: OwnMethods = new Map(reflectionPaths.map((path) => [path, answerReflection]))
