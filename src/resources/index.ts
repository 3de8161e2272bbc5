// Every operation of the service, in the order of the specification.
import type { Operation } from '../api/operation.ts'
import customers from './customers.ts'
import devices from './devices.ts'
import organisation from './organisation.ts'

export const operations: readonly Operation[] = [...organisation, ...customers, ...devices]
