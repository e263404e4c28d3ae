from experiment_cases import load_experiment


def test_cells_speak_for_the_network_that_drew_them():
    study = load_experiment("halfway")
    question = study.QUESTIONS[1]
    found = study.walk(question, (0.0, 1.0), rows=1000)
    assert found[0.0] < 0 < found[1.0]
