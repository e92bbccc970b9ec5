export const ResultPage = () => <div className="page">ResultPage</div>
