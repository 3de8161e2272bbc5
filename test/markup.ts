// Reads HTML as a browser does, and says what is in it: which elements with which attributes, and which text.
import type { DefaultTreeAdapterTypes } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node

export function* nodesOf(node: Node): Generator<Node> {
  yield node
  if ('childNodes' in node) for (const child of node.childNodes) yield* nodesOf(child)
}

/** Each kind once, as `a[href]`; comments count as elements. */
export function elementsOf(document: Node): Set<string> {
  const found = new Set<string>()
  for (const node of nodesOf(document)) {
    if (node.nodeName === '#comment') found.add('#comment')
    if (!('attrs' in node)) continue
    const names = node.attrs.map(({ name }) => name).sort()
    found.add(`${node.tagName}[${names.join(' ')}]`)
  }
  return found
}

export function textOf(document: Node): string {
  let text = ''
  for (const node of nodesOf(document)) if ('value' in node) text += node.value
  return text
}

/** Every value of an attribute, in order. */
export function attributesOf(document: Node, name: string): string[] {
  const values: string[] = []
  for (const node of nodesOf(document))
    if ('attrs' in node) for (const attribute of node.attrs) if (attribute.name === name) values.push(attribute.value)
  return values
}
