import { type Transport } from './transport.js';
export interface Routes {
    readonly [name: string]: string | Routes;
}
/** An object with a method for each route; what lies under a record is a function of the record's id. */
export declare function createMethods(routes: Routes, transport: Transport, ids?: readonly string[]): Record<string, unknown>;
