export const Results = () => <div className="page">Results</div>
