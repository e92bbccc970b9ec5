export { unitOfWorkContract } from "./UnitOfWorkContract.js"
