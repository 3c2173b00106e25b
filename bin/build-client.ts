/** `npm run build:client`: compiles the stream network client into `dist`, ECMAScript modules with their types. */

import { buildClient } from './client.ts'

buildClient()
