// Finds statements that are built and then dropped: they look as if they ran, and nothing happens.
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isExpressionStatement,
  isIdentifier,
  isParenthesizedExpression,
  isVariableDeclaration,
  isVoidExpression,
} from 'typescript/unstable/ast/is'
import { API, type Project, SignatureKind, type Type, TypeFlags } from 'typescript/unstable/sync'

/** Every dropped statement of the project, as `file:line  text`. */
export function findDroppedStatements(root: string): string[] {
  const api = new API({ cwd: root })
  try {
    const config = join(root, 'tsconfig.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new Error(`There is no project at ${config}`)
    return project.rootFiles.flatMap((name) => {
      const file = project.program.getSourceFile(name)
      return file ? droppedIn(file, project).map((node) => describe(node, file, root)) : []
    })
  } finally {
    api.close()
  }
}

function droppedIn(file: SourceFile, project: Project): Node[] {
  const discarded: Node[] = []
  const returned: Node[] = []
  const variables: Node[] = []
  const visit = (node: Node): void => {
    if (isExpressionStatement(node)) discarded.push(node.expression)
    if (isVoidExpression(node)) discarded.push(node.expression)
    if (isBinaryExpression(node) && node.operatorToken.getText(file) === ',') discarded.push(node.left)
    if (isArrowFunction(node) && !isBlock(node.body)) returned.push(node)
    if (isVariableDeclaration(node) && isIdentifier(node.name)) variables.push(node.name)
    node.forEachChild(visit)
  }
  visit(file)

  const { checker } = project
  const holdsStatement = createStatementTest(project)
  const ofStatements = (nodes: readonly Node[], expressionOf = (node: Node) => node) => {
    const types = checker.getTypeAtLocation(nodes.map(expressionOf))
    return nodes.filter((_, index) => types[index] && holdsStatement(types[index]))
  }
  return [
    ...ofStatements(discarded.map(withoutParentheses)),
    // A callback whose result nobody looks at, such as that of forEach.
    ...ofStatements(returned, (arrow) => (isArrowFunction(arrow) ? arrow.body : arrow)).filter((arrow) => {
      const expected = isArrowFunction(arrow) ? checker.getContextualType(arrow) : undefined
      const signature = expected && checker.getSignaturesOfType(expected, SignatureKind.Call)[0]
      const result = signature && checker.getReturnTypeOfSignature(signature)
      return result !== undefined && (result.flags & TypeFlags.Void) !== 0
    }),
    ...ofStatements(variables).filter((name) => {
      const symbol = checker.getSymbolAtLocation(name)
      return symbol !== undefined && !isUsed(name, file, project)
    }),
  ]
}

const withoutParentheses = (node: Node): Node =>
  isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node

/** Whether a variable is named anywhere but where it is declared; one that is exported is used elsewhere. */
function isUsed(name: Node, file: SourceFile, { checker }: Project): boolean {
  const declaration = name.parent.parent.parent
  if (/^\s*export\b/.test(declaration.getText(file))) return true
  const symbol = checker.getSymbolAtLocation(name)
  return symbol === undefined || checker.getReferencesToSymbolInFile(file.fileName, symbol).length > 1
}

/** By its shape rather than its name, so that `{ ...statement, connection }` is one as well; also behind a promise. */
function createStatementTest({ checker }: Project): (type: Type) => boolean {
  const known = new Map<number, boolean>()
  const test = (type: Type): boolean => {
    if (type.isUnionType()) return type.getTypes().some(holdsStatement)
    if ((type.flags & TypeFlags.Object) === 0 && !type.isIntersectionType()) return false
    if (checker.getPropertyOfType(type, 'decode') && checker.getPropertyOfType(type, 'sql')) return true
    return type.isTypeReference() && type.getSymbol()?.name === 'Promise'
      ? checker.getTypeArguments(type).some(holdsStatement)
      : false
  }
  const holdsStatement = (type: Type): boolean => {
    const earlier = known.get(type.id)
    if (earlier !== undefined) return earlier
    known.set(type.id, false) // a type may contain itself
    const result = test(type)
    known.set(type.id, result)
    return result
  }
  return holdsStatement
}

function describe(node: Node, file: SourceFile, root: string): string {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
  const [text] = node.getText(file).split('\n')
  return `${relative(root, file.fileName)}:${line + 1}  ${text}`
}

if (import.meta.main) {
  for (const dropped of findDroppedStatements(join(import.meta.dirname, '..'))) {
    process.stderr.write(`${dropped}: this statement is built and not executed\n`)
    process.exitCode = 1
  }
}
