"""Networks of benchmark tables are recognised with the size of their samples, or not at all."""

import pytest

from assessments.sizing.architectures.described import described_sample


@pytest.mark.parametrize(
    ("model", "description", "name", "tokens"),
    [
        ("Wan 2.1 T2V 14B", "Resolution: 832x480, 81f.", "Wan 2.1 T2V 14B", 21 * 52 * 30),
        ("Z-Image Turbo", "Resolution: 1024x1024.", "Z-Image 6B", 64 * 64 + 256),
        ("ViT-H/14 224 (timm)", "224x224", "ViT-H/14", 257),
        ("SDXL", "Resolution: 1024x1024.", "Stable Diffusion XL U-Net", 64 * 64),
    ],
)
def test_a_described_sample_has_its_tokens(model, description, name, tokens):
    sample = described_sample(model, description)
    assert (sample.shape.name, sample.tokens) == (name, tokens)


def test_convolutions_are_scaled_to_the_picture():
    small, large = (described_sample("ResNet-50", f"{side}x{side}") for side in (224, 448))
    assert large.forward_flops / small.forward_flops == pytest.approx(4)
    assert (small.tokens, large.tokens) == (14 * 14, 28 * 28)
    kept = [sample.tokens * sample.shape.grid.activation_bytes for sample in (small, large)]
    assert kept[1] / kept[0] == pytest.approx(4)
    assert small.tokens * small.shape.grid.forward_flops == pytest.approx(small.forward_flops)


def test_printed_work_is_enough_for_time():
    sample = described_sample("xcit_tiny_12_p16_224", "224x224; inference GMACs per image 1.24", 6.72e6)
    assert sample.forward_flops == 2.48e9
    assert (sample.shape.total_params, sample.shape.grid.activation_bytes) == (6_720_000, 0)


@pytest.mark.parametrize("model", ["SanaVideo", "LTXVideo2 2.3", "SSD300 ResNet-50", "Krea 2", "Jasper 10x5"])
def test_a_network_that_is_not_known_is_not_guessed(model):
    assert described_sample(model, "1024x1024") is None
