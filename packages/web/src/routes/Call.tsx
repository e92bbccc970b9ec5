export const CallPage = () => <div className="page">CallPage</div>
export const RunPage = () => <div className="page">RunPage</div>
