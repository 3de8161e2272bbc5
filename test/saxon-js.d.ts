// What tests use of saxon-js, which brings no types.
declare module 'saxon-js' {
  interface Transformation {
    readonly stylesheetText: string
    readonly sourceText: string
    readonly destination: 'serialized'
  }
  const saxon: { transform(options: Transformation): { readonly principalResult: string } }
  export default saxon
}
