// What the parts of one document are rendered with.
import type { Versions } from '../../operations/versions.ts'
import type { ClientSamples } from '../client/samples.ts'
import type { ConflictSchemas } from './conflicts.ts'
import type { Examples } from './examples.ts'
import type { createSchemaRegistry } from './schemas.ts'

/** How the schemas and values of one document are shown. */
export interface Renderer {
  readonly toSchema: ReturnType<typeof createSchemaRegistry>['toSchema']
  readonly examples: Examples
  readonly versions: Versions
  readonly samples: ClientSamples
  readonly conflicts: ConflictSchemas
}
