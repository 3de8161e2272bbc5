// Rules for e-invoices that others publish, by their numbers, each with a change that breaks it; and the document they judge.
import { XmlDocument, type XmlElement } from 'libxml2-wasm'

export interface Element {
  readonly name: string
  readonly text: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
}

export interface Rule {
  /** As it is published; several where one sentence holds them. */
  readonly id: string
  readonly means: string
  holds(invoice: Element): boolean
  /** What is found in the XML of a document that is right, and what is put in its place to break the rule. */
  readonly broken: readonly [find: RegExp, replace: string]
}

/** Why a rule cannot concern us: no document of ours has this element, or has it with this value. */
export interface NeverWritten {
  readonly ids: string
  readonly path: string
  readonly value?: string
}

/** Names without their prefixes. */
export function treeOf(xml: string): Element {
  const document = XmlDocument.fromString(xml)
  try {
    return elementOf(document.root)
  } finally {
    document.dispose()
  }
}

const elementOf = (node: XmlElement): Element => ({
  name: node.name,
  text: node.content,
  attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
  children: node.find('*').map((child) => elementOf(child as XmlElement)),
})

/** All elements at the end of a path, wherever it begins. */
export function find(root: Element, path: string): readonly Element[] {
  const [first, ...rest] = path.split('/')
  const found = descendants(root).filter(({ name }) => name === first)
  return rest.reduce<readonly Element[]>(
    (some, step) => some.flatMap(({ children }) => children.filter(({ name }) => name === step)),
    found,
  )
}

/** Itself first, then all that it holds. */
export const descendants = (root: Element): readonly Element[] => [root, ...root.children.flatMap(descendants)]

export const childrenOf = ({ children }: Element, child: string): readonly Element[] =>
  children.filter(({ name }) => name === child)

export const textOf = (root: Element, path: string): string => find(root, path)[0]?.text.trim() ?? ''

export const hasText = (root: Element, path: string): boolean => textOf(root, path) !== ''

export const sellerOf = (invoice: Element): Element => find(invoice, 'AccountingSupplierParty/Party')[0]!
export const buyerOf = (invoice: Element): Element => find(invoice, 'AccountingCustomerParty/Party')[0]!
export const countryOf = (party: Element): string => textOf(party, 'PostalAddress/Country/IdentificationCode')
export const vatIdOf = (party: Element): string =>
  childrenOf(party, 'PartyTaxScheme')
    .filter((scheme) => textOf(scheme, 'TaxScheme/ID') === 'VAT')
    .map((scheme) => textOf(scheme, 'CompanyID'))[0] ?? ''
